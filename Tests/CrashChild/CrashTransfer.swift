import Siltstone

/// A transfer between two of a few accounts that all lanes share, in a transaction that also counts it for its lane.
///
/// Which accounts and how much follow from seed, lane and index. So the counters of the lanes tell every balance.
struct CrashTransfer: Equatable, Sendable {
    static let accounts = 24
    /// What the keys of all accounts begin with.
    static let prefix = Array("account/".utf8)

    let source: Int
    let target: Int
    let amount: Int
    let counterKey: [UInt8]
    let index: UInt64

    init(seed: UInt64, lane: Int, index: UInt64) {
        var random = SplitMix64(seed: seed &+ UInt64(lane) &* 0x9e37_79b9_7f4a_7c15 ^ index &* 0xd1b5_4a32_d192_ed03)
        source = Int(random.next() % UInt64(Self.accounts))
        target = (source + 1 + Int(random.next() % UInt64(Self.accounts - 1))) % Self.accounts
        amount = Int(random.next() % 100)
        counterKey = CrashWorkload.counterKey(ofLane: lane)
        self.index = index
    }

    static func key(_ account: Int) -> [UInt8] { prefix + Array(String(100 + account).utf8) }

    /// A balance, with padding that fills memtables.
    static func encode(_ balance: Int) -> [UInt8] {
        Array(String(balance).utf8) + [UInt8](repeating: 0x20, count: 120 + abs(balance) % 200)
    }

    /// The balance of an account; 0 for one that nobody has used.
    static func balance(_ value: [UInt8]?) -> Int {
        value.flatMap { Int(String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self)) } ?? 0
    }

    /// The change of the lane's own keys.
    var count: CrashChange { .put(counterKey, Array(String(index).utf8)) }

    /// Moves the money between balances.
    func apply(to balances: inout [Int: Int]) {
        balances[source, default: 0] -= amount
        balances[target, default: 0] += amount
    }

    /// Moves the money in a store.
    func perform(on store: KeyValueStore, durability: Durability? = nil) throws {
        try store.transaction(durability: durability) { transaction in
            let from = Self.balance(try transaction.get(Self.key(source)))
            let to = Self.balance(try transaction.get(Self.key(target)))
            try transaction.put(Self.key(source), Self.encode(from - amount))
            try transaction.put(counterKey, Array(String(index).utf8))
            try transaction.put(Self.key(target), Self.encode(to + amount))
        }
    }

    /// The entries of all accounts that were used.
    static func entries(_ balances: [Int: Int]) -> [[UInt8]: [UInt8]] {
        Dictionary(uniqueKeysWithValues: balances.map { (key($0.key), encode($0.value)) })
    }
}
