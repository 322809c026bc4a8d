import CRUDKit

/// Decides for each call on a ``FaultInjectingFileSystem`` whether it meets a fault.
///
/// A rule may be asked by several threads at once. It is asked before the call is made and outside every lock, so that it
/// may itself use the store that is being tested.
public struct FaultRule: Sendable {
    /// What a call meets; nil where it succeeds.
    public let decide: @Sendable (FileSystemCall) -> Fault?

    /// A rule that asks `decide`, which returns nil to let the call succeed.
    public init(_ decide: @escaping @Sendable (FileSystemCall) -> Fault?) { self.decide = decide }

    /// Every call succeeds.
    public static let none = FaultRule { _ in nil }

    /// The calls that `matches` picks are counted, from 0; from call `number` on, `times` of them meet a fault.
    ///
    /// Let `number` count up, each time with a fresh store, until a run meets no fault any more: then every call has failed
    /// once.
    /// - Parameters:
    ///   - number: the first of the picked calls that fails.
    ///   - times: how many fail; `Int.max` for all from then on.
    ///   - matches: picks the calls that count.
    ///   - fault: what a call meets; nil lets it succeed after all.
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

    /// Each call that `matches` picks meets a fault by chance, depending on the seed and the call's number alone.
    /// - Parameters:
    ///   - seed: another one gives other faults.
    ///   - probability: of a fault, from 0 to 1.
    ///   - matches: picks the calls.
    ///   - faults: one of them is met, each as likely as the others.
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
