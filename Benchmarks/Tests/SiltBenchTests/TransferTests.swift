import Foundation
import Testing

@testable import SiltBench

struct TransferTests {
    private func temporaryPath(_ name: String) -> String {
        FileManager.default.temporaryDirectory.path + "/silt-bench-tests-\(UUID())/\(name)"
    }

    @Test("the accounts of a transfer differ, all take part, and a thread's transfers are the same again")
    func stream() {
        var (stream, again) = (TransferStream(accounts: 5, thread: 1), TransferStream(accounts: 5, thread: 1))
        var other = TransferStream(accounts: 5, thread: 2)
        var (pairs, differing) = (Set<[Int]>(), 0)
        for _ in 0..<1000 {
            let transfer = stream.next()
            #expect(transfer == again.next() && (1...100).contains(transfer.amount))
            pairs.insert([transfer.from, transfer.to])
            if transfer != other.next() { differing += 1 }
        }
        #expect(pairs.count == 20 && pairs.allSatisfy { $0[0] != $0[1] } && differing > 900)
    }

    @Test("an account is read as it was stored; one with any bit changed, outside of its text, is not")
    func account() {
        var account = Account(number: 7)
        account.add(-2000)
        let value = UnsafeMutableRawBufferPointer.allocate(byteCount: 100, alignment: 8)
        defer { value.deallocate() }
        value.initializeMemory(as: UInt8.self, repeating: 1)
        account.store(in: value)
        #expect(Account(Bytes(value)) == account && account.balance == -1000 && account.transfers == 1)
        for bit in 0..<800 where bit / 8 < 24 || bit / 8 >= 92 {
            value[bit / 8] ^= 1 << (bit % 8)
            #expect(Account(Bytes(value)) == nil)
            value[bit / 8] ^= 1 << (bit % 8)
        }
        #expect(Account(Bytes(rebasing: value[..<31])) == nil)
    }

    @Test("an engine that keeps transactions whole and apart passes, with its retries counted", arguments: [1, 3])
    func honest(threads: Int) throws {
        let path = temporaryPath("none")
        let bank = try Bank<LyingEngine>(directory: path, settings: EngineSettings(), accounts: 10)
        let course = try bank.transfer(1000, threads: threads)
        try bank.verify()
        #expect(bank.ledger.transfers == 1000)
        #expect(bank.ledger.accounts.reduce(0) { $0 + $1.balance } == bank.ledger.total)
        let contention = Contention(course.records)
        #expect(contention.retries == 0.1 && contention.mostAttempts == 2)
        #expect(course.records.map(\.operations).reduce(0, +) == 1000)
        try bank.discard()
    }

    @Test(
        "an engine that tears, skips or mixes up transactions, changes a text or hides an account does not",
        arguments: [LyingEngine.Lie.tearsTransactions, .skipsTransactions, .losesUpdates, .swapsValues, .cutsScans])
    func lying(lie: LyingEngine.Lie) throws {
        let path = temporaryPath(lie.rawValue)
        let bank = try Bank<LyingEngine>(directory: path, settings: EngineSettings(), accounts: 150)
        _ = try bank.transfer(1000, threads: 1)
        #expect(throws: BenchmarkError.self) { try bank.verify() }
        try bank.discard()
    }

    @Test("a value that is none of the account's stops a transfer")
    func damaged() {
        let body = TransferBody(valueBytes: 100)
        body.prepare(Transfer(from: 0, to: 1, amount: 1))
        #expect(throws: BenchmarkError.self) { try body.run(Fixed(value: [UInt8](repeating: 0, count: 100))) }
        #expect(throws: BenchmarkError.self) { try body.run(Fixed(value: nil)) }
    }

    /// Has the same value for each key.
    private struct Fixed: EngineTransaction {
        let value: [UInt8]?

        func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) -> Int? {
            value.map { value in value.withUnsafeBytes { Self.copy($0, to: memory) } }
        }

        func update(_ key: Bytes, _ value: Bytes) { Issue.record("a wrong value was used") }
    }

    @Test("the slowest thread's share is of the moment when the first is through, and not told of a short time")
    func slowestThread() {
        func record(_ seconds: Double, marks: Int) -> ThreadRecord {
            let nanoseconds = seconds * 1e9
            return ThreadRecord(
                start: 0, finish: UInt64(nanoseconds), operations: 100, histogram: Histogram(),
                marks: (1...marks).map { UInt64(nanoseconds * Double($0) / Double(marks)) }, interval: 100 / marks,
                tally: Tally(), userBytes: 0)
        }
        let contention = Contention([record(1, marks: 10), record(2, marks: 10)])
        #expect(contention.slowestThread == 50.0 / 75)
        #expect(Contention([record(1, marks: 10)]).slowestThread == 1)
        #expect(Contention([record(0.01, marks: 10), record(0.02, marks: 10)]).slowestThread == nil)
    }

    @Test("every engine with transactions keeps all money and makes every transfer, alone and with eight threads")
    func engines() throws {
        for kind in EngineKind.available where kind.hasTransactions {
            let measured = try kind.accept(Transfers(kind: kind, directory: temporaryPath(kind.rawValue)))
            #expect(measured.map { $0.label } == ["transfer", "transfer100@8"], "\(kind)")
            #expect(measured.allSatisfy { $0.isChecked }, "\(kind)")
        }
    }

    /// Measures transfers of an engine.
    private struct Transfers: EngineVisitor {
        let kind: EngineKind
        let directory: String

        func visit<E: Engine>(_ engine: E.Type) throws -> [(label: String, isChecked: Bool)] {
            let section = Section(
                name: Section.mainName, title: "", count: 2000, engines: [kind],
                workloads: try WorkloadRun.list("transfer,transfer100@8", threads: 1))
            var options = Options()
            options.prewarmBytes = 0
            let order = WorkerOrder(
                task: .measure, options: options, section: section, engine: kind, round: 0, directory: directory)
            var measured: [(label: String, isChecked: Bool)] = []
            try Bench<E>(order) { message in
                guard case .measurement(let measurement) = message else { return }
                let isChecked = measurement.contention != nil && measurement.tally?.wrong == 0
                measured.append((measurement.label, isChecked))
            }.run()
            return measured
        }
    }
}
