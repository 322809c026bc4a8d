#if PEER_ROCKSDB
import CRocksDB

/// A transaction of RocksDB's OptimisticTransactionDB, begun again and again in the same memory.
///
/// It takes no snapshot: each read notes the key and its sequence number (`get_for_update`), and the commit fails where
/// one of them has changed since. So the reads are those of the moment of the commit, which is serializable, and cheaper.
final class RocksDBTransaction: EngineTransaction {
    private let database: OpaquePointer
    private let reading = rocksdb_readoptions_create()
    private let writing = rocksdb_writeoptions_create()
    private let options = rocksdb_optimistictransaction_options_create()
    private var handle: OpaquePointer?

    init(_ database: OpaquePointer, isSynced: Bool) {
        self.database = database
        rocksdb_writeoptions_set_sync(writing, isSynced ? 1 : 0)
    }

    deinit {
        if let handle { rocksdb_transaction_destroy(handle) }
        rocksdb_readoptions_destroy(reading)
        rocksdb_writeoptions_destroy(writing)
        rocksdb_optimistictransaction_options_destroy(options)
    }

    /// Runs `body` and commits, again where the commit fails for a conflict: at once, as its documentation advises.
    func transact<B: TransactionBody>(_ body: B) throws {
        for _ in 0..<TransactionAttempts.limit {
            handle = rocksdb_optimistictransaction_begin(database, writing, options, handle)
            try body.run(self)
            if try checked({ rocksdb_transaction_commit(handle, $0) }) != nil { return }
        }
        throw BenchmarkError("RocksDB: \(TransactionAttempts.limit) conflicts in a row")
    }

    @inline(__always)
    func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) throws -> Int? {
        let pinned = try checked {
            rocksdb_transaction_get_pinned_for_update(handle, reading, key.characters, key.count, 1, $0)
        }
        guard case .some(.some(let pinned)) = pinned else { return nil }
        defer { rocksdb_pinnableslice_destroy(pinned) }
        var count = 0
        let value = rocksdb_pinnableslice_value(pinned, &count)
        return Self.copy(Bytes(start: value, count: count), to: memory)
    }

    @inline(__always)
    func update(_ key: Bytes, _ value: Bytes) throws {
        try checked {
            rocksdb_transaction_put(handle, key.characters, key.count, value.characters, value.count, $0)
        }
    }

    /// Calls a function that reports failure by an error text.
    /// - Returns: nil where that is a conflict: `Status::Busy` or `Status::TryAgain`.
    @inline(__always) @discardableResult
    private func checked<R>(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) throws -> R? {
        var text: UnsafeMutablePointer<CChar>?
        let result = call(&text)
        guard let text else { return result }
        defer { rocksdb_free(text) }
        let description = String(cString: text)
        if description.hasPrefix("Resource busy") || description.hasPrefix("Operation failed. Try again") { return nil }
        throw BenchmarkError("RocksDB: \(description)")
    }
}
#endif
