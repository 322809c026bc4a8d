/// Two reads and two writes, which move an amount from one account to another.
final class TransferBody: TransactionBody {
    private var keys = KeyBatch(.decimal, missing: false)
    private let source, destination: UnsafeMutableRawBufferPointer
    private var transfer = Transfer(from: 0, to: 0, amount: 0)
    /// How often it was run since it was prepared.
    private(set) var attempts = 0

    init(valueBytes: Int) {
        source = .allocate(byteCount: valueBytes, alignment: 16)
        destination = .allocate(byteCount: valueBytes, alignment: 16)
    }

    deinit {
        source.deallocate()
        destination.deallocate()
    }

    /// Makes ready for another transfer.
    @inline(__always)
    func prepare(_ transfer: Transfer) {
        self.transfer = transfer
        attempts = 0
        keys.set(0, transfer.from)
        keys.set(1, transfer.to)
    }

    /// What is written comes from what was read, the text included.
    @inline(__always)
    func run<T: EngineTransaction>(_ transaction: T) throws {
        attempts &+= 1
        var from = try Self.read(keys.key(0), transfer.from, source, transaction)
        var to = try Self.read(keys.key(1), transfer.to, destination, transaction)
        from.add(-transfer.amount)
        to.add(transfer.amount)
        from.store(in: source)
        to.store(in: destination)
        try transaction.update(keys.key(0), Bytes(source))
        try transaction.update(keys.key(1), Bytes(destination))
    }

    @inline(__always)
    private static func read<T: EngineTransaction>(
        _ key: Bytes, _ number: Int, _ memory: UnsafeMutableRawBufferPointer, _ transaction: T
    ) throws -> Account {
        guard let count = try transaction.get(key, into: memory) else {
            throw BenchmarkError("account \(number) is missing")
        }
        guard count == memory.count, let account = Account(Bytes(memory)), account.number == number else {
            throw BenchmarkError("account \(number) has a wrong or torn value")
        }
        return account
    }
}
