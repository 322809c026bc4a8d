/// How segments and value files are read.
public enum FileAccess: String, Sendable, Hashable, Codable {
    /// Through a mapping of the file. Reads use the page cache without a copy, unless the segment is compressed. An I/O
    /// error of the disk arrives as a signal (SIGBUS) that ends the process.
    case mapped
    /// By `pread` into a cache of blocks. This is slower, but ``Configuration/cacheBytes`` bounds the memory for
    /// blocks, and an I/O error is thrown as an error.
    case read
}
