import Testing

/// The checker itself, on histories that are known to be right or wrong.
struct HistoryCheckerTests {
    /// A history whose name says why it is right or wrong.
    struct Example: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var operations: [Operation]

        init(_ name: String, _ operations: Operation...) {
            testDescription = name
            self.operations = operations
        }
    }

    @Test("histories that some order explains are accepted", arguments: HistoryExamples.right)
    func right(_ example: Example) {
        #expect(LinearizabilityChecker.check(example.operations) == .linearizable)
    }

    @Test("histories that no order explains are rejected", arguments: HistoryExamples.wrong)
    func wrong(_ example: Example) {
        guard case .violation(let violation) = LinearizabilityChecker.check(example.operations) else {
            Issue.record("accepted")
            return
        }
        #expect(violation.explanation(example.operations).contains("no order explains"))
    }

    @Test("on small random histories the search agrees with trying all orders")
    func againstAllOrders() {
        var verdicts = (right: 0, wrong: 0)
        for round in 0..<1500 {
            var random = SeededGenerator(SuiteScale.seed &+ UInt64(round))
            let operations = Self.smallHistory(&random)
            let expected = Self.isExplained(operations, MapState())
            let verdict = LinearizabilityChecker.check(operations)
            #expect(
                (verdict == .linearizable) == expected && verdict != .undecided,
                "\(SuiteScale.replay("againstAllOrders", seed: SuiteScale.seed &+ UInt64(round)))\n\(operations)")
            if expected { verdicts.right += 1 } else { verdicts.wrong += 1 }
        }
        // Else the comparison would say little.
        #expect(verdicts.right > 100 && verdicts.wrong > 100)
    }

    @Test("a long history made by a correct map is accepted, and one changed observation makes it wrong")
    func longHistory() {
        for round in 0..<20 {
            let seed = SuiteScale.seed &+ UInt64(round)
            var random = SeededGenerator(seed)
            var operations = Self.correctHistory(&random, count: 600)
            let replay = SuiteScale.replay("longHistory", seed: seed)
            #expect(LinearizabilityChecker.check(operations) == .linearizable, "\(replay)")
            let reads = operations.indices.filter { if case .observe = operations[$0].effect { true } else { false } }
            // A revision that nobody ever wrote.
            operations[reads[random.index(reads.count)]].effect = .observe([Observation(key: 0, seen: .revision(9999))])
            #expect(LinearizabilityChecker.check(operations) != .linearizable, "\(replay)")
        }
    }

    /// Few operations with random results on two keys, mostly wrong by more than one.
    private static func smallHistory(_ random: inout SeededGenerator) -> [Operation] {
        let count = 3 + random.index(4)
        var times = Array(0..<2 * count)
        times.shuffle(using: &random)
        return (0..<count).map { index in
            let (a, b) = (times[2 * index], times[2 * index + 1])
            let (key, revision) = (random.index(2), random.index(3))
            let effect: Effect
            switch random.index(6) {
            case 0: effect = .write([Change(key: key, revision: revision)])
            case 1: effect = .write([Change(key: 0, revision: revision), Change(key: 1, revision: revision)])
            case 2:
                let condition: KeyCondition = [.absent, .present, .equals(random.index(3))][random.index(3)]
                let held: Bool? = [true, false, nil][random.index(3)]
                effect = .conditional(Change(key: key, revision: revision), condition, held: held)
            case 3:
                effect = .observe((0..<2).map { Observation(key: $0, seen: .revision(random.index(3))) })
            default: effect = .observe([Observation(key: key, seen: .revision(revision))])
            }
            var isUncertain = false
            if case .observe = effect {} else { isUncertain = random.chance(0.2) }
            return Operation(
                thread: index, invoked: min(a, b), returned: isUncertain ? Operation.never : max(a, b), effect: effect)
        }
    }

    /// Whether some order explains what is left, by trying all of them.
    private static func isExplained(_ left: [Operation], _ state: MapState) -> Bool {
        if !left.contains(where: \.isCertain) { return true }
        let firstReturn = left.map(\.returned).min() ?? 0
        return left.indices.contains { index in
            guard left[index].invoked < firstReturn, let next = state.applying(left[index].effect) else { return false }
            var rest = left
            rest.remove(at: index)
            return isExplained(rest, next)
        }
    }

    /// Operations that overlap, with the results that one order gives.
    private static func correctHistory(_ random: inout SeededGenerator, count: Int) -> [Operation] {
        var state = MapState()
        return (0..<count).map { index in
            // The moment is 10 × index; the call up to four moments earlier, the return up to four later.
            let (invoked, returned) = (10 * index - random.index(40), 10 * index + 1 + random.index(40))
            let key = random.index(4)
            let effect: Effect
            switch random.index(4) {
            case 0: effect = .write([Change(key: key, revision: index + 1)])
            case 1: effect = .write((0..<4).map { Change(key: $0, revision: $0 == key ? .absent : index + 1) })
            case 2: effect = .observe((0..<4).map { Observation(key: $0, seen: .revision(state[$0])) })
            default:
                let held = state[key] == .absent
                effect = .conditional(Change(key: key, revision: index + 1), .absent, held: held)
            }
            state = state.applying(effect) ?? state
            return Operation(thread: 0, invoked: invoked, returned: returned, effect: effect)
        }
    }
}
