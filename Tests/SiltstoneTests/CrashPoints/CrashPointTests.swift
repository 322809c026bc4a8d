import Foundation
import Testing

@testable import Siltstone

/// Crashes at every call that changes the disk, on a disk without mercy: see `Docs/Testing.md`.
@Suite("Crash points")
struct CrashPointTests {
    @Test("whichever call the power fails at, what is found is a prefix of the history with all that was promised")
    func everyCall() {
        let seed = SuiteScale.seed
        let scripts = CrashHistory.scripts
        let deadline = SuiteScale.deadline()
        let campaign = CrashCampaign(imagesPerPoint: 24) { number in
            if number < scripts.count { return (scripts[number], seed) }
            let isOver = deadline.map { $0 < Date() } ?? (number >= scripts.count + 16)
            let next = seed &+ UInt64(number)
            return isOver ? nil : (CrashHistory.random(seed: next, steps: 24), next)
        }
        let totals = campaign.run()
        for failure in totals.failures { Issue.record("\(failure)") }
        SuiteScale.report(
            "crash points",
            [
                "histories": totals.histories, "crash points": totals.points, "crash images": totals.images,
                "of recoveries cut short": totals.nested, "gone on with and crashed again": totals.continued,
            ])
    }
}
