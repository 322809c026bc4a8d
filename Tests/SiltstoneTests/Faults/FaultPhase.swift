import SiltstoneTesting
import Testing

@testable import Siltstone

/// Something that a store does, to be tried with faults at each of its calls.
struct FaultPhase: Sendable, CustomTestStringConvertible {
    var name: String
    /// Adapts the configuration.
    var configure: @Sendable (inout Configuration) -> Void = { _ in }
    /// Makes what the runs begin with.
    var image: @Sendable (Configuration) throws -> FaultImage
    /// Whether the store is opened before the faults begin.
    var opensFirst = true
    /// Whether mapping and reading files, and logs, are different ways through what is done.
    var dependsOnAccess = true
    /// What is done while calls fail. Never throws for a fault: ``FaultRun`` notes those.
    var action: @Sendable (FaultRun) throws -> Void
    /// What is checked before the rest, when the faults are over.
    var check: @Sendable (FaultRun, FaultImage) throws -> Void = { _, _ in }

    var testDescription: String { name }

    static let all: [FaultPhase] =
        [creation, recovery, opening, readOnlyOpening] + [writing, transactions, rotation, flush, closing]
        + [compaction, checkpoint, verification, repair, repairOfTheWell, reading]
}

/// The two ways through the engine: by mappings, and by calls.
enum FaultAccess: String, Sendable, CaseIterable {
    case mapped
    case called

    var configuration: Configuration {
        var configuration = StoreFixture.small()
        configuration.durability = .synced
        configuration.largeValueBytes = 2000
        configuration.automaticCompaction = false
        if self == .called {
            configuration.access = .read
            configuration.logWriting = .written
            configuration.compression = .deflate(level: 1)
        }
        return configuration
    }
}
