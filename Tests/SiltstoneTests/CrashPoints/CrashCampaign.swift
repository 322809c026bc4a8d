import Foundation

@testable import Siltstone

/// Many histories, each crashed everywhere, on as many threads as there are cores.
///
/// On threads of its own, not as one test for each history: what was tried is counted in one place, and the threads
/// block for long, which those of the tests' pool should not.
final class CrashCampaign: Sendable {
    struct Totals: Sendable {
        var histories = 0
        var points = 0
        var images = 0
        var nested = 0
        var continued = 0
        var failures: [String] = []
    }

    /// One history, and how it is crashed.
    struct Attack: Sendable {
        var history: CrashHistory
        /// Of the crashes.
        var seed: UInt64
        /// Images that are drawn at each crash point; those that are alike count once.
        var imagesPerPoint: Int
    }

    private let totals = Locked(Totals())
    private let next = Counter()
    private let suite: String
    private let attack: @Sendable (_ number: Int) -> Attack?

    /// - Parameters:
    ///   - suite: the test to run to see a failure again.
    ///   - attack: the attack of a number, from 0 on; nil where there are no more.
    init(suite: String = "CrashPointTests", _ attack: @escaping @Sendable (_ number: Int) -> Attack?) {
        self.suite = suite
        self.attack = attack
    }

    func run() -> Totals {
        let group = DispatchGroup()
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            Thread.detachNewThread(in: group) {
                // What breaks in several histories breaks for one reason; the first few tell enough.
                while self.totals.withLock({ $0.failures.count < 3 }),
                    let attack = self.attack(self.next.next())
                { self.make(attack) }
            }
        }
        group.wait()
        return totals.withLock { $0 }
    }

    /// One history. It ends at its first broken promise: what follows would tell the same again.
    private func make(_ attack: Attack) {
        let history = attack.history
        var oracle = CrashOracle(history, seed: attack.seed)
        let driver = CrashDriver(history, seed: attack.seed, imagesPerPoint: attack.imagesPerPoint)
        var failure: String?
        do { try driver.run { try oracle.check($0) } } catch {
            let replay = SuiteScale.replay(suite, seed: SuiteScale.seed)
                .replacing("swift test", with: "SILTSTONE_HISTORY='\(history.name)' swift test")
            failure = "\(error); \(replay)"
        }
        totals.withLock { [oracle, failure] totals in
            totals.histories += 1
            totals.points += driver.points
            totals.images += oracle.images
            totals.nested += oracle.nested
            totals.continued += oracle.continued
            if let failure { totals.failures.append(failure) }
        }
    }
}

/// A promise that a store did not keep.
struct BrokenPromise: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// Throws where a condition does not hold.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws(BrokenPromise) {
        if !condition { throw BrokenPromise(description()) }
    }
}
