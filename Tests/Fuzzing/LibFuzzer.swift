import Foundation

/// The doors by which libFuzzer comes in. One program for all targets; `FUZZ_TARGET` says which one is attacked.
private let target: FuzzTarget = {
    let name = ProcessInfo.processInfo.environment["FUZZ_TARGET"] ?? ""
    guard let target = FuzzTarget(rawValue: name) else {
        let known = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("FUZZ_TARGET is '\(name)'; known are \(known)")
    }
    return target
}()

@_silgen_name("LLVMFuzzerMutate")
private func mutateBlindly(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int) -> Int

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do { try target.run(Array(UnsafeBufferPointer(start: data, count: size))) } catch {
        fatalError("\(target.rawValue): \(error)")
    }
    return 0
}

/// Makes another input of one, and its checksums right.
@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
    var bytes = Array(UnsafeBufferPointer(start: data, count: size))
    var random = SeededGenerator(UInt64(seed))
    let mutation = FuzzMutation(target) { bytes, limit, _ in
        let count = bytes.count
        let room = max(limit, count, 1)
        bytes += [UInt8](repeating: 0, count: room - count)
        let changed = bytes.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.map { mutateBlindly($0, count, room) } ?? 0
        }
        bytes.removeLast(room - min(changed, room))
    }
    mutation.mutate(&bytes, limit: limit, &random)
    UnsafeMutableBufferPointer(start: data, count: limit).baseAddress?.update(from: bytes, count: bytes.count)
    return bytes.count
}

/// Writes the inputs to begin with, made by the engine itself, into the directory that `FUZZ_SEEDS` names.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>>>
) -> CInt {
    guard let directory = ProcessInfo.processInfo.environment["FUZZ_SEEDS"] else { return 0 }
    do {
        for (name, bytes) in try target.seeds() {
            try Data(bytes).write(to: URL(fileURLWithPath: directory + "/" + name))
        }
    } catch { fatalError("seeds: \(error)") }
    return 0
}
