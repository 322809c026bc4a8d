import Foundation

@testable import Siltstone

/// Accounts whose balances have a constant sum, and the two ways in which money moves between them.
struct Bank: Sendable {
    static let accounts = 16
    static let opening = 1000

    let store: KeyValueStore
    /// One lock for each account, for the transfers that lock in memory.
    private let locks = (0..<accounts).map { _ in ConditionLock() }

    init(_ store: KeyValueStore) { self.store = store }

    /// Gives every account its first balance, in one batch.
    func open() throws(StoreError) {
        var batch = WriteBatch()
        for account in 0..<Self.accounts { batch.put(key(account), Self.encode(Self.opening, padding: 100)) }
        try store.write(batch)
    }

    // MARK: Balances

    /// A balance, with padding that fills memtables; over 500 bytes of it go to a value file, where there are any.
    private static func encode(_ balance: Int, padding: Int) -> [UInt8] {
        Array(String(balance).utf8) + [UInt8](repeating: 0x20, count: padding)
    }

    private static func balance(_ value: [UInt8]?) -> Int? {
        value.flatMap { Int(String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)) }
    }

    /// The sum of all balances; nil where an account is missing or unreadable.
    private static func sum(_ values: [[UInt8]?]) -> Int? {
        let balances = values.compactMap(balance)
        return balances.count == accounts ? balances.reduce(0, +) : nil
    }

    // MARK: Transfers

    /// Moves money between accounts of the lower half by a batch, under the locks of both.
    func transferUnderLocks(_ random: inout SeededGenerator) throws(StoreError) {
        let (a, b, amount, padding) = Self.draw(&random, from: 0)
        let (first, second) = (locks[min(a, b)], locks[max(a, b)])
        try first.withLock { () throws(StoreError) in
            try second.withLock { () throws(StoreError) in
                try move(amount, from: a, to: b, padding: padding, releasing: [])
            }
        }
    }

    /// Moves money between accounts of the upper half that it has locked by inserting a key for each; the batch that
    /// moves the money removes them. Should an insert be told to two callers that it won, money is made or lost.
    /// - Parameter isOn: whether to wait on where another has the lock.
    func transferUnderInserts(_ random: inout SeededGenerator, while isOn: () -> Bool) throws(StoreError) {
        let (a, b, amount, padding) = Self.draw(&random, from: Self.accounts / 2)
        let names = [Self.lockName(min(a, b)), Self.lockName(max(a, b))]
        // In ascending order, so that no two wait for each other.
        guard try acquire(names[0], while: isOn) else { return }
        guard try acquire(names[1], while: isOn) else { return try store.delete(names[0]) }
        try move(amount, from: a, to: b, padding: padding, releasing: names)
    }

    private func acquire(_ name: [UInt8], while isOn: () -> Bool) throws(StoreError) -> Bool {
        while isOn() {
            if try store.insert(name, [1], durability: .buffered) { return true }
            sched_yield()
        }
        return false
    }

    private func move(
        _ amount: Int, from a: Int, to b: Int, padding: Int, releasing names: [[UInt8]]
    ) throws(StoreError) {
        let old = try store.get(all: [key(a), key(b)]).map { Self.balance($0) ?? 0 }
        var batch = WriteBatch()
        batch.put(key(a), Self.encode(old[0] - amount, padding: padding))
        for name in names { batch.delete(name) }
        batch.put(key(b), Self.encode(old[1] + amount, padding: padding))
        try store.write(batch)
    }

    /// Two different accounts of a half: the two kinds of locks know nothing of each other.
    private static func draw(
        _ random: inout SeededGenerator, from first: Int
    ) -> (a: Int, b: Int, amount: Int, padding: Int) {
        let half = accounts / 2
        let a = random.index(half)
        let b = (a + 1 + random.index(half - 1)) % half
        return (first + a, first + b, random.index(200), random.index(900))
    }

    private static func lockName(_ account: Int) -> [UInt8] { Array("lock".utf8) + key(account) }

    // MARK: Audits

    /// Sums the balances in every way that sees one moment. All have to be the same.
    /// - Returns: the sums; nil for one that found an account missing.
    func audit() throws(StoreError) -> [Int?] {
        let names = (0..<Self.accounts).map { key($0) }
        let snapshot = store.snapshot()
        var one: [[UInt8]?] = []
        for name in names { one.append(try snapshot.get(name)) }
        let (from, to) = (key(0), key(Self.accounts))
        return [
            Self.sum(one), Self.sum(try store.get(all: names)),
            Self.sum(try Self.values(store.scan(from: from, to: to))),
            Self.sum(try Self.values(store.scan(from: from, to: to, reverse: true))),
            // After the others, through a snapshot that is older than they are.
            Self.sum(try Self.values(snapshot.scan(from: from, to: to))),
        ]
    }

    private static func values(_ cursor: Cursor) throws(StoreError) -> [[UInt8]?] {
        var values: [[UInt8]?] = []
        while let entry = try cursor.next() { values.append(entry.value) }
        return values
    }

    /// Gives up the locks that were held when a process died.
    func releaseLocks() throws(StoreError) {
        try store.deleteRange(from: Self.lockName(0), to: Self.lockName(Self.accounts))
    }
}
