import Testing

@testable import Siltstone

/// Crashes at every call that changes the disk, on a disk without mercy: see `Docs/Testing.md`.
@Suite("Crash points")
struct CrashPointTests {
    @Test(
        "whichever call the power fails at, what is found is a prefix of the history with all that was promised",
        arguments: CrashHistory.scripts)
    func scripted(_ history: CrashHistory) throws { try attack(history, seed: SuiteScale.seed, imagesPerPoint: 12) }

    private func attack(_ history: CrashHistory, seed: UInt64, imagesPerPoint: Int) throws {
        let driver = CrashDriver(history, seed: seed, imagesPerPoint: imagesPerPoint)
        let (images, points) = try driver.run()
        var oracle = CrashOracle(history, seed: seed)
        for image in images { try oracle.check(image) }
        SuiteScale.report(
            "crash points, \(history.name)",
            [
                "crash points": points, "crash images": oracle.images, "cut recoveries": oracle.nested,
                "continued": oracle.continued,
            ])
    }
}
