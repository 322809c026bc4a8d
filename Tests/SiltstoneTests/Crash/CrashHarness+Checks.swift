import Foundation
import Siltstone

@testable import CrashChild

/// What a scan of a store finds.
struct CrashContents {
    /// The entries of each lane.
    var lanes: [[[UInt8]: [UInt8]]]
    /// The accounts that lanes share.
    var accounts: [[UInt8]: [UInt8]] = [:]
}

extension CrashHarness {
    /// Checks the store as the dead child left it, changing nothing: everything acknowledged is there, the operations in
    /// flight wholly or not at all, and nothing else.
    /// - Parameters:
    ///   - before: the models from before the child was started.
    ///   - thoroughly: whether to verify every byte, read in other orders, and do all of it again as the next owner.
    mutating func check(_ journal: CrashJournal, since before: [CrashModel], thoroughly: Bool) throws {
        if models.allSatisfy({ $0.nextIndex == 0 }), !FileManager.default.fileExists(atPath: store + "/CURRENT") {
            // Killed before the store was made: then nothing can have been acknowledged.
            return try CrashFailure.require(
                models.allSatisfy { journal.begun(lane: $0.lane) == 0 }, "a store that was written to has no CURRENT")
        }
        var configuration = scenario.configuration
        configuration.readOnly = true
        let found = try KeyValueStore.open(at: store, configuration: configuration)
        let contents = try contents(of: found)
        for lane in models.indices { try settle(lane, journal, contents.lanes[lane]) }
        try checkSum(contents.lanes)
        try checkAccounts(contents, models)
        if thoroughly { try checkThoroughly(found) }
        try found.close()
        try checkCheckpoints(journal, since: before)
        if thoroughly { try checkAsOwner() }
    }

    /// As the next owner finds it, who cuts torn tails and removes orphan files.
    mutating func checkAsOwner() throws {
        let store = try KeyValueStore.open(at: store, configuration: scenario.configuration)
        try checkModels(try contents(of: store))
        try checkThoroughly(store)
        try store.close()
    }

    /// As the reader in Python finds it, which knows the documented format and nothing of the engine.
    func checkIndependently() throws {
        guard IndependentReader.isAvailable else { return }
        let expected = models.reduce(into: Self.accounts(models)) { $0.merge($1.entries) { $1 } }
        switch try IndependentReader.read(store) {
        case .records(let records):
            try CrashFailure.require(records == expected, "the independent reader finds something else")
        case .damaged(let text): throw CrashFailure("the independent reader refuses the store: \(text)")
        }
    }

    func checkModels(_ contents: CrashContents) throws {
        for model in models {
            if let difference = model.difference(from: contents.lanes[model.lane]) { throw CrashFailure(difference) }
        }
        try checkAccounts(contents, models)
    }

    /// The shared accounts as the transfers of all lanes have left them.
    private static func accounts(_ models: [CrashModel]) -> [[UInt8]: [UInt8]] {
        CrashTransfer.entries(models.reduce(into: [:]) { $0.merge($1.balances, uniquingKeysWith: +) })
    }

    /// Each lane's counter tells which of its transfers are there; the accounts must show these, and no other.
    func checkAccounts(_ contents: CrashContents, _ models: [CrashModel]) throws {
        let expected = Self.accounts(models)
        guard contents.accounts != expected else { return }
        let wrong = Set(expected.keys).union(contents.accounts.keys).filter { expected[$0] != contents.accounts[$0] }
        let lines = wrong.map { key in
            "\(String(decoding: key, as: UTF8.self)): \(CrashTransfer.balance(contents.accounts[key])), "
                + "and not \(CrashTransfer.balance(expected[key]))"
        }
        throw CrashFailure("accounts that no set of whole transfers explains: \(lines.sorted().prefix(8))")
    }

    /// Advances the model of a lane by what was acknowledged, and, if the store says so, by the operation in flight.
    private mutating func settle(_ lane: Int, _ journal: CrashJournal, _ content: [[UInt8]: [UInt8]]) throws {
        let (begun, acknowledged) = (journal.begun(lane: lane), journal.acknowledged(lane: lane))
        try CrashFailure.require(
            begun == acknowledged || begun == acknowledged + 1, "the journal of lane \(lane) is wrong")
        for _ in 0..<acknowledged { models[lane].advance(workload) }
        summary.acknowledged += Int(acknowledged)
        let difference = models[lane].difference(from: content)
        guard begun > acknowledged else {
            if let difference { throw CrashFailure(difference) }
            return
        }
        summary.inFlight += 1
        var with = models[lane]
        with.advance(workload)
        models[lane].advance(workload, applying: false)
        guard let difference else { return }
        if let other = with.difference(from: content) {
            throw CrashFailure("\(other)\nand without the operation in flight: \(difference)")
        }
        models[lane] = with
    }

    /// What a scan finds, by lanes. A key of no lane is one that nobody has written.
    func contents(of store: KeyValueStore) throws -> CrashContents {
        let prefixes = models.map { CrashWorkload.prefix(ofLane: $0.lane) }
        var contents = CrashContents(lanes: Array(repeating: [:], count: models.count))
        var last: [UInt8]?
        let cursor = try store.scan()
        while let entry = try cursor.next() {
            try CrashFailure.require(
                last.map { $0.precedes(entry.key) } ?? true, "a scan is out of order")
            last = entry.key
            if scenario == .transactions, entry.key.starts(with: CrashTransfer.prefix) {
                contents.accounts[entry.key] = entry.value
            } else if let lane = prefixes.firstIndex(where: { entry.key.starts(with: $0) }) {
                contents.lanes[lane][entry.key] = entry.value
            } else {
                throw CrashFailure("the key \(entry.key) is nobody's")
            }
        }
        return contents
    }

    /// Every byte by its checksum, every key by the other ways to read it.
    private mutating func checkThoroughly(_ store: KeyValueStore) throws {
        let problems = try store.verify().problems
        try CrashFailure.require(problems.isEmpty, "verify finds \(problems)")
        summary.verifications += 1
        let entries = models.flatMap { $0.entries } + Self.accounts(models)
        let expected = entries.sorted { $0.key.precedes($1.key) }
        var rest = expected[...]
        let backwards = try store.scan(reverse: true)
        while let entry = try backwards.next() {
            let isRight = rest.popLast().map { $0.key == entry.key && $0.value == entry.value } ?? false
            try CrashFailure.require(isRight, "a scan backwards finds something else at \(entry.key)")
        }
        try CrashFailure.require(rest.isEmpty, "a scan backwards misses \(rest.count) keys")
        for (key, value) in expected {
            try CrashFailure.require(try store.get(key) == value, "a point read of \(key) finds something else")
        }
        for model in models {
            for key in model.removed.prefix(100) {
                try CrashFailure.require(try store.get(key) == nil, "the removed key \(key) can be read")
            }
        }
    }

    /// Transfers move money, and make none.
    private func checkSum(_ contents: [[[UInt8]: [UInt8]]]) throws {
        guard scenario == .transfers, let content = contents.first, !content.isEmpty else { return }
        let sum = (0..<CrashWorkload.accounts).reduce(0) { sum, account in
            sum + (content[CrashWorkload.accountKey(account)].flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0)
        }
        try CrashFailure.require(
            sum == CrashWorkload.accounts * CrashWorkload.openingBalance, "the sum of all accounts is \(sum)")
    }
}
