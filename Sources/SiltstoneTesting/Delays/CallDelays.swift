/// The frequency and length of the delays of a ``DelayingFileSystem``.
///
/// Each call is delayed twice, before and after the call below, because other threads make different histories in each
/// gap.
public struct CallDelays: Sendable, Hashable {
    /// The probability that a thread yields, from 0 to 1.
    public var yieldProbability = 0.3
    /// The probability that a thread sleeps, from 0 to 1.
    public var pauseProbability = 0.05
    /// The longest sleep, in microseconds. All lengths up to it are equally likely.
    public var greatestPause = 400
    /// The probability that a thread sleeps at a call of the kind that is slow in the current phase, from 0 to 1.
    public var slowKindProbability = 0.5
    /// The length of a phase with one slow kind, in delay points. Each call has two.
    public var phaseLength = 48

    /// Creates the defaults, which make a store with small memtables several times slower.
    public init() {}

    /// Delays that only yield to other threads.
    public static var yielding: CallDelays {
        var delays = CallDelays()
        delays.pauseProbability = 0
        delays.slowKindProbability = 0
        return delays
    }
}

/// The kinds of calls. One kind is slow in each phase.
enum CallKind: UInt64, CaseIterable {
    case open, close, list, look, rename, link, remove, makeDirectory, syncDirectory, lock
    case size, read, write, reserve, truncate, sync, map, prepare
}

/// The delay before or after a call.
enum CallDelay: Hashable, Sendable {
    case none
    case yield
    /// In microseconds.
    case pause(Int)
}

/// The delays of all calls, as a function of a seed.
///
/// Independent pauses rarely delay one step many times in a row, as in ten flushes during one compaction. So the calls
/// are divided into phases. In each phase one kind of call, drawn from the seed, is slow: syncs of directories, opens
/// of files, and so on.
struct DelaySchedule: Sendable {
    let seed: UInt64
    let delays: CallDelays

    /// The delay before or after a call.
    /// - Parameters:
    ///   - kind: the kind of the call.
    ///   - number: the number of earlier delay points.
    func delay(_ kind: CallKind, number: UInt64) -> CallDelay {
        let draw = SplitMix64.mixed(seed ^ SplitMix64.mixed(number))
        let chance = SplitMix64.fraction(draw)
        let phase = number / UInt64(max(1, delays.phaseLength))
        let slow = SplitMix64.mixed(~seed ^ SplitMix64.mixed(phase)) % UInt64(CallKind.allCases.count)
        let pauses = kind.rawValue == slow ? delays.slowKindProbability : delays.pauseProbability
        if chance < pauses { return .pause(Int(SplitMix64.mixed(draw) % UInt64(max(1, delays.greatestPause))) + 1) }
        return chance < pauses + delays.yieldProbability ? .yield : .none
    }
}
