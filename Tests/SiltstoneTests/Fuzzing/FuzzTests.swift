import Foundation
import Testing

/// The targets of `Tests/Fuzzing/run.sh`, for a moment each: so that they stay whole, and that nothing which was found
/// comes back. The long form goes on until its time is up, without the guidance that makes libFuzzer find more.
struct FuzzTests {
    /// Rounds between two looks at the clock.
    private static func rounds(_ target: FuzzTarget) -> Int {
        switch target {
        case .records: SuiteScale.count(400, thorough: 8_000)
        case .compact: SuiteScale.count(200, thorough: 4_000)
        case .segment: SuiteScale.count(150, thorough: 3_000)
        case .log, .manifest, .values: SuiteScale.count(10, thorough: 150)
        case .store: SuiteScale.count(5, thorough: 80)
        }
    }

    @Test(
        "What once broke a reader does not any more, and what the engine writes is read", arguments: FuzzTarget.allCases
    )
    func corpus(_ target: FuzzTarget) throws {
        let inputs = try FuzzCorpus.inputs(for: target)
        #expect(inputs.contains { $0.isSeed })
        for input in inputs {
            do { try target.run(input.bytes) } catch {
                Issue.record("\(input): \(error)\nagain: swift test --filter FuzzTests/corpus")
            }
        }
    }

    @Test("The inputs to begin with are those that the engine writes now", arguments: FuzzTarget.allCases)
    func seedsAreUpToDate(_ target: FuzzTarget) throws {
        let kept = try FuzzCorpus.inputs(for: target).filter(\.isSeed)
        let made = try target.seeds()
        #expect(Set(kept.map(\.name)) == Set(made.keys))
        for input in kept where target != .compact && input.name != "used" {
            // Maps have no order, and the numbers of files depend on what runs in the background.
            #expect(input.bytes == made[input.name], "\(input): Tests/Fuzzing/run.sh seeds \(target.rawValue)")
        }
    }

    @Test("Sealing changes nothing of what is well", arguments: FuzzTarget.allCases)
    func sealing(_ target: FuzzTarget) throws {
        for input in try FuzzCorpus.inputs(for: target) where input.isSeed {
            var bytes = input.bytes
            target.seal(&bytes)
            #expect(bytes == input.bytes, "\(input)")
        }
    }

    @Test("No mutation, its checksums right or wrong, breaks a reader", arguments: FuzzTarget.allCases)
    func mutations(_ target: FuzzTarget) throws {
        let inputs = try FuzzCorpus.inputs(for: target)
        let mutation = FuzzMutation(target)
        let deadline = SuiteScale.deadline()
        var seed = SuiteScale.seed
        var executions = 0
        repeat {
            for _ in 0..<Self.rounds(target) {
                var random = SeededGenerator(seed)
                var bytes = inputs[random.index(inputs.count)].bytes
                for _ in 0...random.index(3) { mutation.mutate(&bytes, limit: target.greatestInput, &random) }
                do { try target.run(bytes) } catch {
                    Issue.record("\(target.rawValue), \(error); \(SuiteScale.replay("FuzzTests", seed: seed))")
                    return
                }
                executions += 1
                seed &+= 1
            }
        } while deadline.map { $0 > Date() } ?? false
        SuiteScale.report("fuzzing \(target.rawValue)", ["executions": executions])
    }
}
