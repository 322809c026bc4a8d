import Siltstone

/// What a child does to its store until it is killed.
enum CrashScenario: String, CaseIterable, Sendable {
    /// Single puts, acknowledged when the kernel has them.
    case bufferedPuts
    /// Single puts, acknowledged when the disk has them.
    case syncedPuts
    /// Transfers between accounts, whose sum never changes: batches of several keys.
    case transfers
    /// A few keys, put, overwritten and deleted all the time, unconditionally and conditionally.
    case hotKeys
    /// Puts, and deletes of whole ranges, alone and in batches.
    case rangeDeletes
    /// Values that go to value files, and garbage in these.
    case largeValues
    /// Several threads that write, and one that flushes, compacts and makes checkpoints.
    case threads

    /// Threads, each of which has keys of its own, and does its operations one after the other.
    var lanes: Int { self == .threads ? 5 : 1 }

    /// The lane that maintains the store instead of writing to it.
    var maintenanceLane: Int? { self == .threads ? 4 : nil }

    /// About as many operations as a child is given time for: enough for several flushes.
    var operationsPerRound: UInt64 {
        switch self {
        case .bufferedPuts, .hotKeys, .rangeDeletes: 4_000
        case .syncedPuts: 400
        case .transfers: 1_500
        case .largeValues: 250
        case .threads: 3_000
        }
    }

    /// Memtables and files so small that flushes and compactions are always under way.
    var configuration: Configuration {
        var configuration = Configuration()
        configuration.durability = self == .syncedPuts ? .synced : .buffered
        configuration.memTableBytes = 64 << 10
        configuration.segmentBytes = 64 << 10
        configuration.blockBytes = 4 << 10
        configuration.valueFileBytes = 256 << 10
        configuration.largeValueBytes = self == .largeValues || self == .threads ? 1 << 10 : 1 << 20
        switch self {
        case .hotKeys: configuration.logWriting = .written
        case .rangeDeletes: configuration.compression = .deflate(level: 1)
        case .transfers: configuration.access = .read
        default: break
        }
        return configuration
    }
}
