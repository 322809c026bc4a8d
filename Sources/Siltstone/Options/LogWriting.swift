/// How a store passes its log to the kernel. Both ways survive the death of the process at any moment, and cost the
/// same to sync.
public enum LogWriting: String, Sendable, Hashable, Codable, CaseIterable {
    /// By memory stores to a shared mapping of a file with reserved space. A write takes a tenth of the time of a
    /// `pwrite` call. Small writes that are synced one by one still use `pwrite`. An I/O error of the disk under the
    /// mapping ends the process with SIGBUS. If the file system cannot reserve space or map the file, or if syncing a
    /// file does not cover its mappings, the store uses ``written`` instead.
    case mapped
    /// By a `pwrite` call for each write, or several for a write above 64 KiB. I/O errors are thrown as errors.
    case written
}
