import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// The value file in use, whose end may go back.
struct ValueFileAppenderTests {
    private static let path = "/000007.values"

    private static func append(_ value: [UInt8], to appender: ValueFileAppender) throws -> ValuePointer {
        try Array("key".utf8).withBytes { key in
            try value.withBytes { value in try appender.append(key: key, value: value, sequence: 1) }
        }
    }

    private static func begin(on disk: FaultInjectingFileSystem) throws -> ValueFileAppender {
        let file = try disk.open(path, .createNew)
        return try ValueFileAppender(file: file, number: 7, store: StoreIdentity(high: 1, low: 2))
    }

    private static func syncs(_ disk: FaultInjectingFileSystem) -> Int { disk.log.count { $0.operation == .sync } }

    @Test("what stands where a synced value was taken back is synced anew")
    func takenBack() throws {
        let disk = FaultInjectingFileSystem()
        let appender = try Self.begin(on: disk)
        _ = try Self.append([UInt8](repeating: 1, count: 100), to: appender)
        let end = appender.size
        _ = try Self.append([UInt8](repeating: 2, count: 5000), to: appender)
        try appender.sync()
        #expect(Self.syncs(disk) == 1)
        appender.rollBack(to: end)
        #expect(appender.isUsable && appender.size == end)
        // Shorter than what stood there, and as long: neither is what the sync has brought to the disk.
        for length in [200, 4700] {
            let before = Self.syncs(disk)
            let pointer = try Self.append([UInt8](repeating: 3, count: length), to: appender)
            try appender.sync()
            try appender.sync()
            #expect(Self.syncs(disk) == before + 1, "a value of \(length) bytes at \(pointer.offset)")
        }
    }

    @Test("disk space is taken ahead of values, as often as it is given back, and the values stay")
    func space() throws {
        let path = FileManager.default.temporaryDirectory.path + "/siltstone-values-" + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = try POSIXFileSystem().open(path, .createNew)
        let appender = try ValueFileAppender(file: file, number: 7, store: StoreIdentity(high: 1, low: 2))
        var pointers: [ValuePointer] = []
        for round in 0..<3 {
            for _ in 0..<25 {
                let value = [UInt8](repeating: UInt8(pointers.count), count: 100_000)
                pointers.append(try Self.append(value, to: appender))
            }
            #expect(try file.sizeFully() == appender.size)
            #expect(try allocatedBytes(path) > appender.size + (200 << 10))
            #expect(appender.releaseSpace())
            #expect(!appender.releaseSpace())
            #expect(try allocatedBytes(path) < appender.size + (64 << 10), "round \(round)")
        }
        let bytes = try file.readAll()
        for (index, pointer) in pointers.enumerated() {
            let start = Int(pointer.offset) + ValueRecord.headerSize + 3
            let isSame = Array(bytes[start..<start + 100_000]) == [UInt8](repeating: UInt8(index), count: 100_000)
            #expect(isSame, "value \(index)")
        }
    }

    @Test("who gives disk space back does not wait for a value that is being written")
    func spaceBesideWrite() throws {
        let disk = FaultInjectingFileSystem()
        let appender = try Self.begin(on: disk)
        _ = try Self.append([UInt8](repeating: 1, count: 2 << 20), to: appender)
        _ = try Self.append([1], to: appender)  // takes space ahead
        let (isWriting, mayWrite) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        disk.setRule { call in
            if call.operation == .write, call.length > 1 << 20 {
                isWriting.signal()
                mayWrite.wait()
            }
            return nil
        }
        let group = DispatchGroup()
        Thread.detachNewThread(in: group) {
            do { _ = try Self.append([UInt8](repeating: 2, count: 2 << 20), to: appender) } catch {
                Issue.record(error)
            }
        }
        isWriting.wait()
        #expect(!appender.releaseSpace())
        mayWrite.signal()
        group.wait()
        disk.setRule(.none)
        #expect(appender.releaseSpace())
    }

    @Test("a sync that has failed is not tried again")
    func failedSync() throws {
        let disk = FaultInjectingFileSystem()
        let appender = try Self.begin(on: disk)
        _ = try Self.append([1], to: appender)
        disk.setRule(.from(0, where: { $0.operation == .sync }) { _ in .inputOutput })
        #expect(StoreError.Code.of { try appender.sync() } == .inputOutput)
        let syncs = Self.syncs(disk)
        #expect(StoreError.Code.of { try appender.sync() } == .refusesWrites)
        #expect(Self.syncs(disk) == syncs)
    }
}
