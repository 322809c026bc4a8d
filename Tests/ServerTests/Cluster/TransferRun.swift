#if PostgreSQL || MySQL
import Foundation
import Synchronization
import TableKit
import TestServers

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

struct Account: Codable, Sendable {
    var id: Int
    var balance: Int
}

/// A transfer that took place: written by the transaction that made it.
struct Transfer: Codable, Sendable {
    var id: UUID
    var source: Int
    var target: Int
    var amount: Int
}

/// What an audit writes, so that its transaction has to commit.
struct AuditMark: Codable, Sendable {
    var id: Int
    var stamp: UUID
}

/// What clients and the auditor have noted.
final class TransferLog: Sendable {
    struct Entries: Sendable {
        var acknowledged: Set<UUID> = []
        /// Those whose transaction ended with an error that leaves no doubt: they must not be there.
        var refused: Set<UUID> = []
        /// Those of which nobody knows.
        var unknown: Set<UUID> = []
        /// How often a transaction's body ran.
        var runs = 0
        var audits = 0
        var failedAudits = 0
        /// What is wrong with an audit.
        var violations: [String] = []
        /// When each client last heard that a transfer took place.
        var lastSuccess: [ContinuousClock.Instant]
        /// The longest time between two of a client's transfers, since the last look.
        var longestWait: [Duration]
        /// A sample of errors, for the report.
        var errors: [String: Int] = [:]
    }

    private let entries: Mutex<Entries>
    private let stop = Mutex(false)
    private let starts = Mutex(1)

    init(clients: Int) {
        entries = Mutex(
            Entries(
                lastSuccess: Array(repeating: .now, count: clients),
                longestWait: Array(repeating: .zero, count: clients)))
    }

    var snapshot: Entries { entries.withLock { $0 } }
    var isStopped: Bool { stop.withLock { $0 } }
    func end() { stop.withLock { $0 = true } }
    /// How often programs were started.
    var generation: Int { starts.withLock { $0 } }
    /// Has each program end, and another begin.
    func restartPrograms() { starts.withLock { $0 += 1 } }
    func note(_ body: (inout sending Entries) -> Void) { entries.withLock { body(&$0) } }

    func note(_ error: any Error) {
        let text = String("\(error)".prefix(110))
        entries.withLock { $0.errors[text, default: 0] += 1 }
    }
}

/// Transfers between accounts by several clients, each a program of its own with its own connections, and an auditor who adds
/// the accounts up.
///
/// Both use tables alone, so that the same proof runs on every cluster.
struct TransferRun<C: DatabaseConfigurationProtocol>: Sendable {
    static var accounts: Int { 24 }
    static var balance: Int { 1000 }

    let clients: Int
    /// Makes the configuration of one program: of a client, by its number, or of the auditor, who comes behind them.
    let configuration: @Sendable (Int) throws -> C
    /// Whether an audit's transaction also writes: on servers where a node that has lost its role may answer reads.
    let auditsWrite: Bool
    let log: TransferLog

    init(clients: Int = 8, auditsWrite: Bool = false, _ configuration: @escaping @Sendable (Int) throws -> C) {
        self.clients = clients
        self.configuration = configuration
        self.auditsWrite = auditsWrite
        log = TransferLog(clients: clients)
    }

    /// Makes the accounts.
    func prepare() throws {
        let database = Database(configuration: try configuration(clients))
        try database.create(Account.self)
        try database.create(Transfer.self)
        try database.create(AuditMark.self)
        try database.table(Account.self).insert(
            (0..<Self.accounts).map { Account(id: $0, balance: Self.balance) })
    }

    /// Starts clients and auditor on threads of their own.
    func start() -> [Background<Void>] { (0...clients).map { number in Background { try work(number) } } }

    private func work(_ number: Int) throws {
        while !log.isStopped {
            let generation = log.generation
            let database = Database(configuration: try configuration(number))
            while !log.isStopped, log.generation == generation {
                if number < clients { transfer(number, database) } else { audit(database) }
            }
            try database.close()
        }
    }

    private func transfer(_ client: Int, _ database: Database<C>) {
        let transfer = Transfer(
            id: UUID(), source: Int.random(in: 0..<Self.accounts), target: Int.random(in: 0..<Self.accounts),
            amount: Int.random(in: 1...50))
        do {
            try database.transaction { () throws -> Void in
                log.note { $0.runs += 1 }
                try move(transfer, database)
            }
            log.note { entries in
                entries.acknowledged.insert(transfer.id)
                let now = ContinuousClock.now
                entries.longestWait[client] = max(entries.longestWait[client], now - entries.lastSuccess[client])
                entries.lastSuccess[client] = now
            }
        } catch {
            log.note(error)
            let isUnknown = (error as? any TableError)?.code == .unknownOutcome
            log.note { entries in
                if isUnknown { entries.unknown.insert(transfer.id) } else { entries.refused.insert(transfer.id) }
            }
            usleep(100_000)
        }
    }

    private func move(_ transfer: Transfer, _ database: Database<C>) throws {
        let accounts = database.table(Account.self)
        // In the order of their keys, so that transfers wait for each other, and not in a circle.
        let changes = [(transfer.source, -transfer.amount), (transfer.target, transfer.amount)].sorted { $0.0 < $1.0 }
        for (id, change) in changes {
            guard let account = try accounts.find(id) else { throw ServerFailure("Account \(id) is gone.") }
            try accounts.where(\Account.id == id).update(
                Account(id: id, balance: account.balance + change), setKeys: \.balance)
        }
        try database.table(Transfer.self).insert(transfer)
    }

    private func audit(_ database: Database<C>) {
        let known = log.snapshot.acknowledged
        do {
            let (sum, found) = try sums(database)
            let missing = known.subtracting(found)
            log.note { entries in
                entries.audits += 1
                if sum != Self.accounts * Self.balance { entries.violations.append("The accounts have \(sum).") }
                if !missing.isEmpty { entries.violations.append("An audit missed \(missing.count) transfers.") }
            }
        } catch {
            log.note(error)
            log.note { $0.failedAudits += 1 }
        }
        usleep(200_000)
    }

    /// The sum of all accounts, and the transfers that took place, of one state.
    private func sums(_ database: Database<C>) throws -> (Int, Set<UUID>) {
        func read() throws -> (Int, Set<UUID>) {
            let sum = try database.table(Account.self).all().reduce(0) { $0 + $1.balance }
            return (sum, Set(try database.table(Transfer.self).all().map(\.id)))
        }
        if !auditsWrite { return try database.read(read) }
        return try database.transaction { () throws -> (Int, Set<UUID>) in
            try database.table(AuditMark.self).upsert(AuditMark(id: 0, stamp: UUID()))
            return try read()
        }
    }

    /// What is wrong at the end, as sentences.
    /// - Parameter configuration: of one node, or of whichever has the state.
    func problems(_ configuration: C) throws -> [String] {
        let database = Database(configuration: configuration)
        let entries = log.snapshot
        var problems = entries.violations
        let accounts = try database.table(Account.self).order(by: \.id).all().map(\.balance)
        let transfers = try database.table(Transfer.self).all()
        let found = Set(transfers.map(\.id))
        let lost = entries.acknowledged.subtracting(found).count
        if lost > 0 { problems.append("\(lost) acknowledged transfers are lost.") }
        let ghosts = entries.refused.intersection(found).count
        if ghosts > 0 { problems.append("\(ghosts) transfers took place that were told as refused.") }
        let strangers = found.subtracting(entries.acknowledged).subtracting(entries.unknown).count - ghosts
        if strangers > 0 { problems.append("\(strangers) transfers took place that nobody knows of.") }
        var expected = [Int](repeating: Self.balance, count: Self.accounts)
        for transfer in transfers {
            expected[transfer.source] -= transfer.amount
            expected[transfer.target] += transfer.amount
        }
        if accounts != expected { problems.append("The accounts do not have what the transfers left them.") }
        return problems
    }
}
#endif
