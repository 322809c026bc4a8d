import Dispatch
import SiltstoneTesting
import Testing

@testable import Siltstone

/// Pieces of a file that are written by another thread while the next ones are made.
struct SegmentOutputTests {
    private static let piece = OutputPieces.shortLived.rawValue
    private static let path = "/piece"

    private func bytes(_ count: Int) -> [UInt8] {
        [UInt8](count: count) { UInt8(truncatingIfNeeded: $0 ^ $0 >> 9) }
    }

    private func contents(_ disk: FaultInjectingFileSystem) throws -> [UInt8] {
        let file = try disk.open(Self.path, .read)
        let heap = try HeapBytes.read(file, offset: 0, count: try file.sizeFully())
        return withExtendedLifetime(heap) { Array(heap.bytes) }
    }

    /// Appends `data` in parts of that many bytes.
    private static func append(
        _ data: [UInt8], inPartsOf count: Int, to output: inout SegmentOutput
    ) throws(StoreError) {
        for start in stride(from: 0, to: data.count, by: count) {
            try output.append(Array(data[start..<min(data.count, start + count)]))
        }
    }

    @Test(
        "what is appended arrives in order, however long a write takes and whatever the parts", .comesToAnEnd,
        arguments: [1 << 10, 100_000, piece - 1, piece, 3 * piece + 5])
    func order(part: Int) throws {
        let disk = FaultInjectingFileSystem()
        disk.setRule { call in
            if call.operation == .write { Platform.sleep(microseconds: 2_000) }
            return nil
        }
        let data = bytes(9 * Self.piece + 77)
        var output = SegmentOutput(try disk.open(Self.path, .createNew))
        try Self.append(data, inPartsOf: part, to: &output)
        #expect(output.offset == data.count)
        try output.finish()
        #expect(try contents(disk) == data)
    }

    @Test("full pieces are written while the next one is made, by another thread", .comesToAnEnd)
    func beside() throws {
        let disk = FaultInjectingFileSystem()
        let (isMade, isBegun) = (Locked(false), Locked(false))
        disk.setRule { call in
            guard call.operation == .write else { return nil }
            isBegun.withLock { $0 = true }
            for _ in 0..<30_000 where !isMade.withLock({ $0 }) { Platform.sleep(microseconds: 1_000) }
            return isMade.withLock { $0 } ? nil : .inputOutput
        }
        var output = SegmentOutput(try disk.open(Self.path, .createNew))
        try Self.append(bytes(2 * Self.piece), inPartsOf: 1 << 10, to: &output)
        try waitUntil("the first piece is being written") { isBegun.withLock { $0 } }
        isMade.withLock { $0 = true }
        try output.finish()
    }

    @Test(
        "a piece that fails is told of by the end at the latest, and nothing is written behind it", .comesToAnEnd,
        arguments: 0..<4)
    func failure(at failing: Int) throws {
        let disk = FaultInjectingFileSystem()
        let offsets = Locked<[Int]>([])
        disk.setRule { call in
            guard call.operation == .write else { return nil }
            let count = offsets.withLock { offsets in
                offsets.append(offsets.count)
                return offsets.count
            }
            return count > failing ? .noSpace : nil
        }
        var output = SegmentOutput(try disk.open(Self.path, .createNew))
        let data = bytes(3 * Self.piece + 1)
        var code: StoreError.Code?
        do throws(StoreError) {
            try Self.append(data, inPartsOf: Self.piece / 2, to: &output)
            try output.finish()
        } catch { code = error.code }
        #expect(code == .noSpace)
        // What asks once more is told once more.
        #expect(throws: StoreError.self) { try output.finish() }
        #expect(offsets.withLock { $0.count } == failing + 1)
        #expect(try disk.open(Self.path, .read).sizeFully() == failing * Self.piece)
    }

    @Test(
        "an output that is given up waits for the piece that is being written, whose memory it takes away",
        .comesToAnEnd)
    func givenUp() throws {
        let disk = FaultInjectingFileSystem()
        let data = bytes(Self.piece + 1)
        disk.setRule { call in
            if call.operation == .write { Platform.sleep(microseconds: 100_000) }
            return nil
        }
        do {
            var output = SegmentOutput(try disk.open(Self.path, .createNew))
            try output.append(data)
        }
        #expect(try contents(disk) == Array(data.prefix(Self.piece)))
    }

    @Test("where no other thread is to be had, pieces are written all the same", .comesToAnEnd)
    func alone() throws {
        let disk = FaultInjectingFileSystem()
        let writer = PieceWriter(try disk.open(Self.path, .createNew))
        writer.queue.suspend()
        let isResumed = Locked(false)
        let resume: @Sendable () -> Void = {
            isResumed.withLock { isResumed in
                if !isResumed { writer.queue.resume() }
                isResumed = true
            }
        }
        defer { resume() }
        // Ends a wait for the queue, so that the test fails instead of standing still.
        DispatchQueue.global().asyncAfter(deadline: .now() + 300, execute: resume)
        let data = bytes(4 * Self.piece)
        let heap = HeapBytes(copying: data)
        for offset in stride(from: 0, to: data.count, by: Self.piece) {
            writer.begin(heap.bytes.slice(offset, Self.piece) ?? .emptyBytes, at: offset)
            try writer.wait()
        }
        try writer.sync()
        withExtendedLifetime(heap) {}
        #expect(!isResumed.withLock { $0 })
        #expect(try contents(disk) == data)
    }
}
