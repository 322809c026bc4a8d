/// How segments and value files are read.
public enum FileAccess: String, Sendable, Hashable, Codable {
    /// Through a mapping of the file: reads are served from the page cache with no copy. An I/O error of the disk
    /// arrives as a signal (SIGBUS) that ends the process.
    case mapped
    /// By `pread` into a cache of blocks: slower, bounded in memory, and an I/O error is an error that is thrown.
    case read
}
