import Foundation

/// Accounts in an engine that is open.
final class Bank<E: Engine>: @unchecked Sendable {
    // `@unchecked`: the engine may be shared, as it says itself; all else is used by the one thread that runs the
    // workloads.

    private let directory: String
    private let valueBytes: Int
    private let engine: E
    /// What the accounts should hold.
    private(set) var ledger: Ledger

    /// New accounts in one transaction.
    private static var batchCount: Int { 10_000 }

    /// Opens `accounts` accounts in an empty directory, in the order of their numbers.
    init(directory: String, settings: EngineSettings, accounts: Int) throws {
        self.directory = directory
        valueBytes = max(settings.valueBytes, Account.leastBytes)
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        engine = try E(directory: directory, settings: settings)
        ledger = Ledger(count: accounts)
        try fill()
    }

    private func fill() throws {
        let session = try engine.makeSession()
        let keys = KeyMaker(.decimal)
        let values = ValueMaker(byteCount: valueBytes)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: valueBytes, alignment: 16)
        defer { memory.deallocate() }
        for start in stride(from: 0, to: ledger.accounts.count, by: Self.batchCount) {
            try session.putAll(min(Self.batchCount, ledger.accounts.count - start)) { i in
                let account = ledger.accounts[start + i]
                memory.copyMemory(from: values.value(Stamp(index: account.number, generation: 1)))
                account.store(in: memory)
                return (keys.key(account.number), Bytes(memory))
            }
        }
    }

    /// Looks at everything once.
    func preload() throws {
        var tally = Tally()
        try engine.makeSession().scan(from: nil, reverse: false, limit: .max, &tally)
    }

    /// Makes transfers, one in a transaction, between accounts that any thread may use.
    /// - Parameter operations: in all threads.
    func transfer(_ operations: Int, threads: Int) throws -> Course {
        let (accounts, valueBytes) = (ledger.accounts.count, valueBytes)
        let course = try ThreadTeam.run(threads) { [engine] thread, gate in
            let count = Database<E>.share(operations, thread: thread, of: threads)
            let session = try engine.makeSession()
            var stream = TransferStream(accounts: accounts, thread: thread)
            let body = TransferBody(valueBytes: valueBytes)
            var attempts = Attempts()
            var meter = Meter(operations: count)
            gate.pass()
            meter.begin()
            for _ in 0..<count {
                body.prepare(stream.next())
                try session.transact(body)
                attempts.add(body.attempts)
                meter.lap()
            }
            var record = meter.record(userBytes: count * 2 * (KeySpace.decimal.keyBytes + valueBytes))
            record.attempts = attempts
            return record
        }
        for thread in 0..<threads {
            var stream = TransferStream(accounts: accounts, thread: thread)
            for _ in 0..<Database<E>.share(operations, thread: thread, of: threads) { ledger.apply(stream.next()) }
        }
        return course
    }

    /// Reads all accounts and compares them with the ledger. Not timed.
    /// - Throws: ``BenchmarkError`` where money, a transfer or an account is missing, or there is more of it.
    func verify() throws {
        var auditor = Auditor(ledger, valueBytes: valueBytes)
        try engine.makeSession().scan(from: nil, reverse: false, limit: .max, &auditor)
        if let problem = auditor.problem { throw BenchmarkError("wrong contents: \(problem)") }
    }

    /// Closes it and removes its files.
    func discard() throws {
        try engine.close()
        try FileManager.default.removeItem(atPath: directory)
    }
}
