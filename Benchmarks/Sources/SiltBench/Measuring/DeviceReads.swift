import Foundation
import Synchronization

/// What the device itself can do: random reads that go past the page cache.
enum DeviceReads {
    private static let blockBytes = 4096
    private static let seconds = 2.0

    /// Takes the rates of one thread and of sixteen; some seconds, and the time to write the file.
    /// - Parameters:
    ///   - directory: on the device.
    ///   - bytes: of the file that is read, rounded up to whole MiB: as many as the stores to compare with have.
    /// - Returns: no readings where the file system cannot read past the page cache.
    static func measure(in directory: String, bytes: Int) throws -> RawLimits.Readings {
        var readings = RawLimits.Readings()
        #if os(Linux)
        let path = directory + "/device"
        let mebibytes = max(1, (bytes + (1 << 20) - 1) >> 20)
        defer { unlink(path) }
        try write(path, mebibytes)
        let file = open(path, O_RDONLY | pastCache)
        // Such as one in memory.
        guard file >= 0 else { return readings }
        defer { close(file) }
        let blocks = mebibytes << 20 / blockBytes
        readings.add(.deviceRead, try rate(file, blocks: blocks, threads: 1))
        readings.add(.deviceReads16, try rate(file, blocks: blocks, threads: 16))
        #endif
        return readings
    }

    #if os(Linux)
    // O_DIRECT, which Glibc's module leaves out (fcntl.h of the kernel).
    #if arch(arm64)
    private static let pastCache: Int32 = 0x10000
    #else
    private static let pastCache: Int32 = 0x4000
    #endif

    /// Makes a file whose blocks are all written.
    private static func write(_ path: String, _ mebibytes: Int) throws {
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw BenchmarkError("cannot make \(path): errno \(errno)") }
        defer { close(file) }
        // Not zeros, which a device may keep without writing them.
        var random = RandomSource(.rawLimits)
        let piece = (0..<(1 << 17)).map { _ in random.next() }
        for _ in 0..<mebibytes {
            let count = piece.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
            guard count == 1 << 20 else { throw BenchmarkError("cannot write \(path): errno \(errno)") }
        }
        guard fsync(file) == 0 else { throw BenchmarkError("cannot sync \(path): errno \(errno)") }
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED)
    }

    /// Reads a second, all threads together.
    private static func rate(_ file: Int32, blocks: Int, threads: Int) throws -> Double {
        let records = try ThreadTeam.run(threads) { thread, gate in
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: blockBytes)
            defer { buffer.deallocate() }
            var random = RandomSource(.rawLimits)
            // Each thread has blocks of its own: those before are another's.
            for _ in 0..<thread * 100_000 { _ = random.next() }
            var meter = Meter(operations: 1)
            var count = 0
            gate.pass()
            meter.begin()
            let end = Clock.now() + UInt64(seconds * 1e9)
            repeat {
                let offset = off_t(random.below(blocks) * blockBytes)
                guard pread(file, buffer.baseAddress, blockBytes, offset) == blockBytes else {
                    throw BenchmarkError("the device cannot be read: errno \(errno)")
                }
                count += 1
            } while Clock.now() < end
            meter.finish(count)
            return meter.record(Tally())
        }.records
        let operations = records.reduce(0) { $0 + $1.operations }
        return Double(operations) / seconds
    }
    #endif
}
