/// How a store's log reaches the kernel. Both ways survive the death of the process at any instant, and cost the same
/// to sync.
public enum LogWriting: String, Sendable, Hashable, Codable, CaseIterable {
    /// By stores to a shared mapping of a file whose space was reserved: a tenth of the cost of a call for each write.
    /// An I/O error of the disk under the mapping ends the process with SIGBUS. Where the file system cannot reserve
    /// space, or syncing a file does not cover its mappings, the log is ``written``.
    case mapped
    /// By a `pwrite` call for each write. I/O errors are reported as such.
    case written
}
