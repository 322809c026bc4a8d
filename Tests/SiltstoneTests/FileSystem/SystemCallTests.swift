#if os(Linux)
import Foundation
import Testing

@testable import Siltstone

/// The system calls that bring files to stable storage, seen from the kernel's side: no test that reads its files again
/// could tell whether they were made.
@Suite("System calls", .enabled(if: SyncRefusal.isAvailable, "needs a filter for system calls"))
struct SystemCallTests {
    @Test("each way to sync makes the call that syncs, and reports what it says")
    func syncs() async throws {
        try await SyncRefusal.run {
            let scratch = try Scratch()
            let path = scratch.path + "/a"
            let file = try scratch.fileSystem.open(path, .createNew)
            try file.writeFully([1, 2, 3], at: 0)
            let mapping = try file.map(length: 3, writable: true)
            try file.sync()
            try scratch.fileSystem.syncDirectory(scratch.path)
            try SyncRefusal.begin()
            for sync in [{ try file.sync() }, { try scratch.fileSystem.syncDirectory(scratch.path) }] {
                let error = #expect(throws: FileSystemError.self) { try sync() }
                #expect(error?.errorNumber == EIO)
            }
            withExtendedLifetime(mapping) {}
            try file.close()
        }
    }

    @Test(
        "a store whose disk refuses to sync acknowledges no synced write, and no new store",
        arguments: LogWriting.allCases)
    func store(_ writing: LogWriting) async throws {
        try await SyncRefusal.run {
            let scratch = try Scratch()
            var configuration = StoreFixture.small()
            configuration.durability = .synced
            configuration.logWriting = writing
            let store = try KeyValueStore.open(at: scratch.path + "/store", configuration: configuration)
            try store.put(key(1), [1])
            try SyncRefusal.begin()
            #expect(StoreError.Code.of { try store.put(key(2), [2]) } == .inputOutput)
            #expect(StoreError.Code.of { try store.put(key(3), [3]) } == .refusesWrites)
            #expect(
                StoreError.Code.of {
                    try KeyValueStore.open(at: scratch.path + "/other", configuration: configuration).close()
                } == .inputOutput)
            try store.close()
            for name in ["store", "other"] { try FileManager.default.removeItem(atPath: scratch.path + "/" + name) }
        }
    }
}

/// Has the kernel refuse all syncs of the calling thread, for as long as that lives, by a filter of its system calls
/// (seccomp(2)).
enum SyncRefusal {
    /// An instruction of the classic packet filter that seccomp runs.
    private struct Instruction {
        var code: UInt16
        var jumpTrue: UInt8
        var jumpFalse: UInt8
        var operand: UInt32
    }

    private struct Program {
        var count: UInt16
        var instructions: UnsafeMutablePointer<Instruction>
    }

    #if arch(x86_64)
    private static let (sync, dataSync, mappingSync): (UInt32, UInt32, UInt32) = (74, 75, 26)
    #else
    private static let (sync, dataSync, mappingSync): (UInt32, UInt32, UInt32) = (82, 83, 227)
    #endif

    /// Whether filters can be set here.
    static let isAvailable: Bool = {
        let (isSet, done) = (Locked(false), DispatchSemaphore(value: 0))
        Thread {
            do {
                try begin()
                isSet.withLock { $0 = true }
            } catch { print("skipped: tests of system calls: \(error)") }
            done.signal()
        }.start()
        done.wait()
        return isSet.withLock { $0 }
    }()

    /// Runs `body` on a thread that nobody uses afterwards, as a filter stays for a thread's life.
    static func run(_ body: @escaping @Sendable () throws -> Void) async throws {
        try await withCheckedThrowingContinuation { continuation in
            Thread { continuation.resume(with: Result { try body() }) }.start()
        }
    }

    /// From now on, `fsync`, `fdatasync` and `msync` fail with `EIO` on this thread.
    static func begin() throws {
        // Variadic functions are not imported; these take whole registers, as variadic ones do here.
        typealias Control = @convention(c) (Int32, UInt, UInt, UInt, UInt) -> Int32
        guard let symbol = dlsym(nil, "prctl") else { throw CrashFailure("there is no prctl") }
        let control = unsafeBitCast(symbol, to: Control.self)
        var instructions = [
            Instruction(code: 0x20, jumpTrue: 0, jumpFalse: 0, operand: 0),  // load the number of the call
            Instruction(code: 0x15, jumpTrue: 3, jumpFalse: 0, operand: sync),
            Instruction(code: 0x15, jumpTrue: 2, jumpFalse: 0, operand: dataSync),
            Instruction(code: 0x15, jumpTrue: 1, jumpFalse: 0, operand: mappingSync),
            Instruction(code: 0x06, jumpTrue: 0, jumpFalse: 0, operand: 0x7fff_0000),  // allow
            Instruction(code: 0x06, jumpTrue: 0, jumpFalse: 0, operand: 0x0005_0000 | UInt32(EIO)),  // fail
        ]
        try instructions.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var program = Program(count: UInt16(buffer.count), instructions: base)
            let noNewPrivileges = control(38, 1, 0, 0, 0)
            try CrashFailure.require(noNewPrivileges == 0, "no new privileges: error \(errno)")
            let isSet = withUnsafeMutablePointer(to: &program) { control(22, 2, UInt(bitPattern: $0), 0, 0) }
            try CrashFailure.require(isSet == 0, "seccomp: error \(errno)")
        }
    }
}
#endif
