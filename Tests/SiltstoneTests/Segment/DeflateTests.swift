import Testing

@testable import Siltstone

/// What the streams of compressed blocks, and failures to begin one, say about the data.
struct DeflateTests {
    private static let bytes = [UInt8](count: 4096) { UInt8(truncatingIfNeeded: $0 / 16) }

    /// Compresses bytes in one call; nil if they do not fit into `room` bytes.
    private static func compressed(_ bytes: [UInt8], room: Int) throws -> [UInt8]? {
        var compressor = try Deflate.Compressor(level: 6)
        let (source, target) = (HeapBytes(copying: bytes), HeapBytes(count: room))
        defer { withExtendedLifetime((source, target)) {} }
        guard let count = compressor.compress(source.bytes, into: target.buffer) else { return nil }
        return Array([UInt8](target.bytes).prefix(count))
    }

    /// Inflates a stream to `count` bytes; nil if it is damaged.
    private static func inflated(_ stream: [UInt8], count: Int) throws -> [UInt8]? {
        let (source, target) = (HeapBytes(copying: stream), HeapBytes(count: count))
        defer { withExtendedLifetime((source, target)) {} }
        return try Deflate.inflate(source.bytes, into: target.buffer) ? [UInt8](target.bytes) : nil
    }

    @Test("a stream is damaged if it is malformed, cut off, or longer or shorter than it should be")
    func damage() throws {
        let stream = try #require(try Self.compressed(Self.bytes, room: 4096))
        #expect(stream.count < 1000)
        #expect(try Self.inflated(stream, count: 4096) == Self.bytes)
        #expect(try Self.inflated(Array(stream.dropLast()), count: 4096) == nil)
        #expect(try Self.inflated(stream + [0], count: 4096) == nil)
        #expect(try Self.inflated([0xff] + stream.dropFirst(), count: 4096) == nil)
        #expect(try Self.inflated(stream, count: 4095) == nil)
        #expect(try Self.inflated(stream, count: 4097) == nil)
    }

    @Test("bytes whose stream does not fit are not compressed")
    func tooLittleRoom() throws {
        #expect(try Self.compressed(Self.bytes, room: 100) == nil)
    }

    @Test("a level that zlib does not have is an invalid argument", arguments: [-2, 10])
    func level(_ level: Int) {
        #expect(StoreError.Code.of { _ = try Deflate.Compressor(level: level) } == .invalidArgument)
    }

    @Test("a stream that zlib cannot begin is no damage")
    func notBegun() {
        let memory = Deflate.failure(to: "inflate", -4)  // Z_MEM_ERROR
        #expect(memory.code == .inputOutput && !memory.isDamage)
        #expect(memory.message.hasPrefix("zlib cannot inflate: "))
        #expect(memory.message.contains("free memory"))
        let version = Deflate.failure(to: "compress", -6)  // Z_VERSION_ERROR
        #expect(version.code == .inputOutput && !version.message.contains("memory"))
    }
}
