import Foundation

/// What the machine itself can do: the ceilings that no engine gets above.
enum RawLimits {
    /// A limit's name and unit.
    enum Kind: String, Codable, CaseIterable, Sendable {
        case syncedRecord, syncedReserved, syncedAppended, bufferedRecord, copy, cachedRead, randomRead
        case deviceRead, deviceReads16

        var title: String {
            switch self {
            case .syncedRecord: "fdatasync after a 128-byte record, file written before"
            case .syncedReserved: "the same, file reserved by fallocate"
            case .syncedAppended: "the same, file that grows"
            case .bufferedRecord: "write of a 128-byte record, not synced"
            case .copy: "memcpy, 64 MiB"
            case .cachedRead: "read of a cached file, 1 MiB at a time"
            case .randomRead: "pread of 4 KiB of a cached file, random"
            case .deviceRead: "read of 4 KiB of the device, random, past the page cache"
            case .deviceReads16: "the same by 16 threads"
            }
        }

        /// A value with its unit.
        func format(_ value: Double) -> String {
            switch self {
            case .copy, .cachedRead: Format.digits(value / 1e9, 1) + " GB/s"
            default: Format.count(value) + "/s"
            }
        }
    }

    /// Each limit's readings, one for each round, in operations or bytes a second.
    struct Readings: Codable, Sendable {
        var values: [String: [Double]] = [:]

        mutating func add(_ kind: Kind, _ value: Double) { values[kind.rawValue, default: []].append(value) }

        mutating func add(_ other: Readings) { values.merge(other.values) { $0 + $1 } }

        /// The median; nil where it was not taken.
        func median(_ kind: Kind) -> Double? { values[kind.rawValue]?.median }
    }

    private static let fileBytes = 64 << 20
    private static let recordBytes = 128

    /// Takes all readings once; about a second.
    static func measure(in directory: String) throws -> Readings {
        Machine.writeBack()
        var readings = Readings()
        let path = directory + "/limits"
        let file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o644)
        guard file >= 0 else { throw BenchmarkError("cannot make \(path): errno \(errno)") }
        defer {
            close(file)
            unlink(path)
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: fileBytes, alignment: 4096)
        defer { buffer.deallocate() }
        buffer.initializeMemory(as: UInt8.self, repeating: 7)
        guard let memory = buffer.baseAddress else { return readings }
        // Written and synced once: its blocks are allocated, as those of a prepared log.
        try require(write(file, memory, fileBytes) == fileBytes && fsync(file) == 0)
        readings.add(.syncedRecord, try syncedRecords(file, memory))
        try require(ftruncate(file, 0) == 0 && fsync(file) == 0)
        readings.add(.syncedAppended, try syncedRecords(file, memory))
        #if os(Linux)
        // A file system that cannot reserve has no such limit.
        if ftruncate(file, 0) == 0, posix_fallocate(file, 0, off_t(fileBytes)) == 0, fsync(file) == 0 {
            readings.add(.syncedReserved, try syncedRecords(file, memory))
        }
        #endif
        try require(pwrite(file, memory, fileBytes, 0) == fileBytes)
        readings.add(.bufferedRecord, try bufferedRecords(file, memory))
        readings.add(.copy, copies(memory))
        readings.add(.cachedRead, try cachedReads(file, memory))
        readings.add(.randomRead, try randomReads(file, memory))
        return readings
    }

    private static func syncedRecords(_ file: Int32, _ memory: UnsafeMutableRawPointer) throws -> Double {
        try rate(1000) { i in
            try require(pwrite(file, memory, recordBytes, off_t(i * recordBytes)) == recordBytes)
            #if os(Linux)
            try require(fdatasync(file) == 0)
            #else
            try require(fcntl(file, F_FULLFSYNC) == 0)
            #endif
        }
    }

    private static func bufferedRecords(_ file: Int32, _ memory: UnsafeMutableRawPointer) throws -> Double {
        try rate(200_000) { i in
            try require(pwrite(file, memory, recordBytes, off_t(i * recordBytes)) == recordBytes)
        }
    }

    private static func copies(_ memory: UnsafeMutableRawPointer) -> Double {
        let copy = UnsafeMutableRawPointer.allocate(byteCount: fileBytes, alignment: 4096)
        defer { copy.deallocate() }
        memcpy(copy, memory, fileBytes)
        let copies = 8
        return rate(copies) { _ in memcpy(copy, memory, fileBytes) } * Double(fileBytes)
    }

    private static func cachedReads(_ file: Int32, _ memory: UnsafeMutableRawPointer) throws -> Double {
        let chunk = 1 << 20
        return try rate(256) { i in
            try require(pread(file, memory, chunk, off_t(i * chunk % fileBytes)) == chunk)
        } * Double(chunk)
    }

    private static func randomReads(_ file: Int32, _ memory: UnsafeMutableRawPointer) throws -> Double {
        var random = RandomSource(.rawLimits)
        return try rate(200_000) { _ in
            try require(pread(file, memory, 4096, off_t(random.below(fileBytes / 4096) * 4096)) == 4096)
        }
    }

    /// How often a second `body` runs.
    private static func rate(_ count: Int, _ body: (Int) throws -> Void) rethrows -> Double {
        Double(count) / (try Clock.seconds { for i in 0..<count { try body(i) } })
    }

    private static func require(_ condition: Bool) throws {
        if !condition { throw BenchmarkError("a raw limit cannot be measured: errno \(errno)") }
    }
}
