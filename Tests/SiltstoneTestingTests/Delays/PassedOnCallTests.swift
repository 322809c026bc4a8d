import CRUDKit
import Siltstone
import Testing

@testable import SiltstoneTesting

/// The calls of a file that the protocol has defaults for. A file in front of another must not fall back to these.
struct PassedOnCallTests {
    @Test("a delaying file passes a write of three pieces on as one call, and the hints")
    func delaying() throws {
        let base = RecordingFile()
        let file = DelayingFile(base, Delayer(DelaySchedule(seed: 1, delays: .yielding)))
        #expect(try writePieces(to: file) == 6)
        file.preallocate(offset: 0, length: 1)
        file.beginSync(offset: 0, length: 1)
        #expect(base.calls == ["write 1+2+3", "preallocate", "begin sync"])
    }

    @Test("a file with faults makes a write of three pieces piece by piece, and passes the hints on uncounted")
    func faults() throws {
        let base = RecordingFile()
        let injector = FaultInjector(keepsLog: true)
        let file = FaultInjectingFile(base, injector)
        file.preallocate(offset: 0, length: 1)
        file.beginSync(offset: 0, length: 1)
        #expect(injector.count == 0)
        #expect(try writePieces(to: file) == 1)
        #expect(injector.count == 1)
        #expect(base.calls == ["preallocate", "begin sync", "write 1"])
    }

    private func writePieces(to file: any File) throws -> Int {
        try [UInt8](repeating: 1, count: 6).withUnsafeBytes { bytes in
            try file.write(
                UnsafeRawBufferPointer(rebasing: bytes[..<1]), UnsafeRawBufferPointer(rebasing: bytes[1..<3]),
                UnsafeRawBufferPointer(rebasing: bytes[3...]), at: 0)
        }
    }
}

/// A file that records its calls and takes every write whole.
private final class RecordingFile: File {
    let path = "/file"
    private let recorded = Locked<[String]>([])

    var calls: [String] { recorded.withLock { $0 } }

    private func record(_ call: String) { recorded.withLock { $0.append(call) } }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
        record("write \(bytes.count)")
        return bytes.count
    }

    func write(
        _ head: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer, _ tail: UnsafeRawBufferPointer, at offset: Int
    ) -> Int {
        record("write \(head.count)+\(body.count)+\(tail.count)")
        return head.count + body.count + tail.count
    }

    func preallocate(offset: Int, length: Int) { record("preallocate") }
    func beginSync(offset: Int, length: Int) { record("begin sync") }

    func size() -> Int { 0 }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int { 0 }
    func reserve(offset: Int, length: Int) {}
    func truncate(to length: Int) {}
    func sync() {}
    func close() {}
    func map(length: Int, writable: Bool) throws(FileSystemError) -> any FileMapping {
        throw FileSystemError("map", path: path, errorNumber: 0)
    }
}
