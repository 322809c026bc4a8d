/// When a write is acknowledged.
public enum Durability: String, Sendable, Hashable, Codable, CaseIterable {
    /// After the write, and everything acknowledged before it, is on stable storage. Survives loss of power. Writes that
    /// wait at the same time share one sync.
    case synced
    /// After the write was handed to the kernel. Survives the death of the process, not of the power; `sync()` makes
    /// it durable.
    case buffered
}
