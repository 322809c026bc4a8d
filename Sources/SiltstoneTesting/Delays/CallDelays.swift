/// How often, and for how long, a ``DelayingFileSystem`` holds up the calls that it passes on.
///
/// A call is held up twice, before and after the call below: what another thread does in the one gap or the other makes
/// different histories.
public struct CallDelays: Sendable, Hashable {
    /// How likely a thread is to give way to another, from 0 to 1.
    public var yieldProbability = 0.3
    /// How likely a thread is to sleep, from 0 to 1.
    public var pauseProbability = 0.05
    /// The longest sleep, in microseconds. All lengths up to this are equally likely.
    public var greatestPause = 400
    /// How likely a thread is to sleep at a call of the kind that is slow at the time, from 0 to 1.
    public var slowKindProbability = 0.5
    /// After how many calls another kind is the slow one.
    public var phaseLength = 48

    /// Creates the defaults: a store with small memtables becomes several times slower.
    public init() {}

    /// Delays that do nothing but let other threads go first.
    public static var yielding: CallDelays {
        var delays = CallDelays()
        delays.pauseProbability = 0
        delays.slowKindProbability = 0
        return delays
    }
}

/// The kinds of calls, one of which is slow at a time.
enum CallKind: UInt64, CaseIterable {
    case open, close, list, look, rename, link, remove, makeDirectory, syncDirectory, lock
    case size, read, write, reserve, truncate, sync, map, prepare
}

/// What happens to one side of a call.
enum CallDelay: Hashable, Sendable {
    case none
    case yield
    /// In microseconds.
    case pause(Int)
}

/// The delays of all calls, as a function of a seed.
///
/// Independent pauses alone rarely bring about what needs one step to be late many times over, such as ten flushes
/// during one compaction. So the calls fall into phases, and in each phase one kind of call, drawn from the seed, is
/// slow: a phase in which directories are slow to sync, one in which files are slow to open, and so on.
struct DelaySchedule: Sendable {
    let seed: UInt64
    let delays: CallDelays

    /// The delay of one side of a call.
    /// - Parameters:
    ///   - kind: what is called.
    ///   - number: how many sides of calls came before.
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
