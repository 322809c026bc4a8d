/// How the blocks of a segment are stored.
public enum Compression: Sendable, Hashable, Codable {
    /// Uncompressed: reads need no decoding and no copy.
    case none
    /// As raw deflate streams (RFC 1951), which are smaller. A block is inflated on its first read and then cached.
    ///
    /// The level is that of zlib, from 1 (fast) to 9 (small).
    case deflate(level: Int = 6)
}
