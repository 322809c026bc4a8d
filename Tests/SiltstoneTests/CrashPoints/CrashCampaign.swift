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

    private let totals = Locked(Totals())
    private let next = Counter()
    private let history: @Sendable (_ number: Int) -> (CrashHistory, seed: UInt64)?
    private let imagesPerPoint: Int

    /// - Parameters:
    ///   - imagesPerPoint: images that are drawn at each crash point; those that are alike count once.
    ///   - history: the history of a number, from 0 on, and the seed of its crashes; nil where there are no more.
    init(imagesPerPoint: Int, _ history: @escaping @Sendable (_ number: Int) -> (CrashHistory, seed: UInt64)?) {
        self.imagesPerPoint = imagesPerPoint
        self.history = history
    }

    func run() -> Totals {
        let group = DispatchGroup()
        for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
            Thread.detachNewThread(in: group) {
                // What breaks in several histories breaks for one reason; the first few tell enough.
                while self.totals.withLock({ $0.failures.count < 3 }),
                    let (history, seed) = self.history(self.next.next())
                { self.attack(history, seed: seed) }
            }
        }
        group.wait()
        return totals.withLock { $0 }
    }

    /// One history. It ends at its first broken promise: what follows would tell the same again.
    private func attack(_ history: CrashHistory, seed: UInt64) {
        var oracle = CrashOracle(history, seed: seed)
        let driver = CrashDriver(history, seed: seed, imagesPerPoint: imagesPerPoint)
        var failure: String?
        do { try driver.run { try oracle.check($0) } } catch {
            let replay = SuiteScale.replay("CrashPointTests", seed: SuiteScale.seed)
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
