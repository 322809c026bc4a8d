import Siltstone

/// What a child does to its store until it is killed.
enum CrashScenario: String, CaseIterable, Sendable {
    /// Single puts of several threads, acknowledged when the kernel has them.
    case bufferedPuts
    /// Single puts of several threads, acknowledged when the disk has them: they share syncs.
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
    /// Transfers of several threads between accounts that they share: transactions with conflicts.
    case transactions
    /// More and more keys, until the disk is full, and as soon as there is room again. The log is mapped.
    case fillingMapped
    /// The same; the log is written.
    case fillingWritten

    /// Those whose children are killed over and over.
    static let killed: [CrashScenario] = allCases.filter { !$0.fillsDisk }

    /// Those that go on until the disk is full.
    static let filling: [CrashScenario] = allCases.filter(\.fillsDisk)

    /// Whether a write that is refused for want of space is tried again until it succeeds.
    var fillsDisk: Bool { self == .fillingMapped || self == .fillingWritten }

    /// Threads, each of which has keys of its own, and does its operations one after the other.
    var lanes: Int {
        switch self {
        case .bufferedPuts: 2
        case .syncedPuts, .transactions: 4
        case .threads: 5
        case .fillingMapped, .fillingWritten: 3
        default: 1
        }
    }

    /// The lane that maintains the store instead of writing to it.
    var maintenanceLane: Int? { self == .threads ? 4 : nil }

    /// About as many operations of each lane as a child is given time for: enough for a flush or two.
    var operationsPerRound: UInt64 {
        switch self {
        case .bufferedPuts: 400
        case .hotKeys: 1_000
        case .rangeDeletes: 800
        case .syncedPuts: 60
        case .transfers, .transactions: 300
        case .largeValues: 60
        case .threads: 150
        case .fillingMapped, .fillingWritten: 400
        }
    }

    /// Memtables and files so small that flushes and compactions are always under way.
    var configuration: Configuration {
        var configuration = Configuration()
        configuration.durability = self == .syncedPuts ? .synced : .buffered
        configuration.memTableBytes = 64 << 10
        if self == .threads || self == .bufferedPuts || self == .transactions { configuration.sealedMemTableLimit = 3 }
        configuration.segmentBytes = 64 << 10
        configuration.blockBytes = 4 << 10
        configuration.valueFileBytes = 256 << 10
        switch self {
        case .largeValues, .threads: configuration.largeValueBytes = 1 << 10
        case .fillingMapped, .fillingWritten: configuration.largeValueBytes = 8 << 10
        default: configuration.largeValueBytes = 1 << 20
        }
        switch self {
        case .hotKeys, .fillingWritten: configuration.logWriting = .written
        case .rangeDeletes: configuration.compression = .deflate(level: 1)
        case .transfers: configuration.access = .read
        default: break
        }
        return configuration
    }
}
