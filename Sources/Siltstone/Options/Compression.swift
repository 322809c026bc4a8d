/// How the blocks of a segment are stored.
public enum Compression: Sendable, Hashable, Codable {
    /// Uncompressed. If files are mapped, reads need no decoding and no copy.
    case none
    /// As raw deflate streams (RFC 1951), which are smaller. A read inflates a block that is not in the cache
    /// (``Configuration/cacheBytes``). A block that does not become smaller is stored as it is.
    ///
    /// The level is that of zlib, from 1 (fast) to 9 (small). Opening a store with another level throws
    /// ``StoreError/Code/invalidArgument``. The setting applies to new segments.
    case deflate(level: Int = 6)
}
