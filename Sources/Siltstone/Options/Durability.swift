/// When a write is acknowledged.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// After the write, and all writes acknowledged before it, are on stable storage. It survives a power loss. Writes
    /// that wait at the same time share one sync.
    case synced
    /// After the write was passed to the kernel. It survives the death of the process, but not a power loss. `sync()`
    /// makes it durable.
    case buffered
}
