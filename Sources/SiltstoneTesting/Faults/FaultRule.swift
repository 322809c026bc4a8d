import CRUDKit

/// Decides which calls on a ``FaultInjectingFileSystem`` meet a fault.
///
/// Several threads may ask a rule at once. It is asked before the call and without any lock held, so it may use the
/// store under test.
public struct FaultRule: Sendable {
    /// The fault of a call; nil if it succeeds.
    public let decide: @Sendable (FileSystemCall) -> Fault?

    /// A rule by a function, which returns nil to let a call succeed.
    public init(_ decide: @escaping @Sendable (FileSystemCall) -> Fault?) { self.decide = decide }

    /// Every call succeeds.
    public static let none = FaultRule { _ in nil }

    /// A rule that lets `times` matching calls meet a fault, from the call with this number on.
    ///
    /// Increase `number` with a fresh store for each run until a run meets no fault: then every call has failed once.
    /// - Parameters:
    ///   - number: the first matching call that fails, from 0.
    ///   - times: the number of calls that fail; `Int.max` for all later ones.
    ///   - matches: selects the calls that count.
    ///   - fault: the fault of a call; nil to let it succeed.
    public static func from(
        _ number: Int, times: Int = 1, where matches: @escaping @Sendable (FileSystemCall) -> Bool = { _ in true },
        _ fault: @escaping @Sendable (FileSystemCall) -> Fault?
    ) -> FaultRule {
        let met = Locked(0)
        return FaultRule { call in
            guard matches(call) else { return nil }
            let index = met.withLock { met in
                defer { met += 1 }
                return met
            }
            return index >= number && index - number < times ? fault(call) : nil
        }
    }

    /// A rule that gives matching calls a fault at random, as a function of the seed and the call's number.
    /// - Parameters:
    ///   - seed: determines the faults.
    ///   - probability: the probability of a fault, from 0 to 1.
    ///   - matches: selects the calls.
    ///   - faults: the faults, all equally likely.
    public static func random(
        seed: UInt64, probability: Double,
        where matches: @escaping @Sendable (FileSystemCall) -> Bool = { _ in true }, _ faults: [Fault]
    ) -> FaultRule {
        FaultRule { call in
            guard matches(call), !faults.isEmpty else { return nil }
            let bits = SplitMix64.mixed(seed ^ SplitMix64.mixed(UInt64(truncatingIfNeeded: call.number)))
            guard SplitMix64.fraction(bits) < probability else { return nil }
            return faults[Int(SplitMix64.mixed(bits) % UInt64(faults.count))]
        }
    }
}
