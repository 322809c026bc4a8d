import Foundation

@testable import CrashChild

/// When a child is to be killed: each phase of its life has its share in any twenty rounds, and the moment in it is drawn.
enum CrashAim {
    /// Some microseconds after it was started, whatever it does then.
    case early(microseconds: UInt32)
    /// While it opens the store, or recovers it, after so many file-system calls.
    case opening(calls: UInt64)
    /// Some microseconds after a lane had so many operations acknowledged.
    case writing(lane: Int, acknowledged: UInt64, microseconds: UInt32)
    /// Some microseconds after background work has begun, or, where none begins before, so many operations later.
    case activity(CrashJournal.Activity, atLatest: UInt64, microseconds: UInt32)
    /// Some microseconds after it began to close; it is left to end by itself where that is nil.
    case closing(microseconds: UInt32?)

    /// Draws one.
    /// - Parameters:
    ///   - round: the number of the round; it decides the phase.
    ///   - callsOfOpening: how many file-system calls the last opening took.
    init(_ scenario: CrashScenario, round: Int, callsOfOpening: UInt64, random: inout SplitMix64) {
        func number(below bound: UInt64) -> UInt64 { random.next() % bound }
        let goal = 1 + number(below: scenario.operationsPerRound)
        let pause = UInt32(number(below: 3_000))
        // By a step that has no factor in common with twenty, so that neighbours differ.
        switch round &* 7 % 20 {
        case 0: self = .early(microseconds: UInt32(number(below: 20_000)))
        case 1...4: self = .opening(calls: number(below: callsOfOpening + 2))
        case 5...7: self = .activity(.flush, atLatest: 2 * scenario.operationsPerRound, microseconds: pause)
        case 8...10: self = .activity(.compaction, atLatest: 2 * scenario.operationsPerRound, microseconds: pause)
        case 11 where scenario.maintenanceLane != nil, 12 where scenario.maintenanceLane != nil:
            self = .activity(.checkpoint, atLatest: 2 * scenario.operationsPerRound, microseconds: pause)
        case 13...15: self = .closing(microseconds: number(below: 5) == 0 ? nil : UInt32(number(below: 5_000)))
        default:
            let lane = Int(number(below: UInt64(scenario.maintenanceLane ?? scenario.lanes)))
            self = .writing(lane: lane, acknowledged: goal, microseconds: pause)
        }
    }

    /// After how many operations of each lane the child is to close by itself; 0: never.
    func stopAfter(_ scenario: CrashScenario, random: inout SplitMix64) -> UInt64 {
        guard case .closing = self else { return 0 }
        return 1 + random.next() % (scenario.operationsPerRound / 2)
    }

    /// Waits for the moment.
    /// - Returns: whether the child is to be killed; false where it has ended as it was told to.
    func wait(for child: CrashChildProcess) throws -> Bool {
        switch self {
        case .early(let microseconds): usleep(microseconds)
        case .opening(let calls): try child.wait { $0.calls >= calls || $0.phase.rawValue > 1 }
        case .writing(let lane, let acknowledged, let microseconds):
            try child.wait { $0.acknowledged(lane: lane) >= acknowledged }
            usleep(microseconds)
        case .activity(let activity, let latest, let microseconds):
            try child.wait { $0.isActive(activity) || $0.acknowledged(lane: 0) >= latest }
            usleep(microseconds)
        case .closing(let microseconds):
            guard let microseconds else {
                try child.waitUntilClosed()
                return false
            }
            try child.wait { $0.phase.rawValue >= CrashJournal.Phase.closing.rawValue }
            usleep(microseconds)
        }
        return true
    }
}
