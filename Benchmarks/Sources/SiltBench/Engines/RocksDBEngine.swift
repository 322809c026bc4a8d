#if PEER_ROCKSDB
import CRocksDB

/// RocksDB through its C interface.
///
/// `@unchecked Sendable`: RocksDB's database handle is documented as safe to share; it is set once.
final class RocksDBEngine: Engine, @unchecked Sendable {
    /// The C interface does not tell: the file that the library was loaded from has it in its name.
    static var version: String {
        let maps = KernelFile.contents("/proc/self/maps")
        let line = maps?.split(separator: "\n").first { $0.contains("/librocksdb.so.") }
        let number = line?.split(separator: "/").last?.dropFirst("librocksdb.so.".count)
        return "RocksDB \(number ?? "of unknown version")"
    }

    /// An assertion of its source, which a release build has not.
    static var build: LibraryBuild { LibraryBuild(function: "rocksdb_open", assertion: "BaseValid() && DeltaValid()") }

    private let options = rocksdb_options_create()
    private let cache = rocksdb_cache_create_lru(EngineSettings.cacheBytes)
    private let database: OpaquePointer
    /// What stands before the database where there are transactions.
    private let transactions: OpaquePointer?
    private let isSynced: Bool

    static func isLog(_ name: String) -> Bool? { name.hasSuffix(".log") }

    static func isTable(_ name: String) -> Bool { name.hasSuffix(".sst") }

    init(directory: String, settings: EngineSettings) throws {
        isSynced = settings.isSynced
        rocksdb_options_set_create_if_missing(options, 1)
        rocksdb_options_set_write_buffer_size(options, settings.writeBufferBytes)
        if !settings.hasDefaultCompression {
            rocksdb_options_set_compression(options, CInt(rocksdb_no_compression))
        }
        let table = rocksdb_block_based_options_create()
        defer { rocksdb_block_based_options_destroy(table) }
        rocksdb_block_based_options_set_block_cache(table, cache)
        // The table takes the filter policy over, and frees it.
        let filter = rocksdb_filterpolicy_create_bloom_full(Double(EngineSettings.bloomBits))
        rocksdb_block_based_options_set_filter_policy(table, filter)
        rocksdb_options_set_block_based_table_factory(options, table)
        let options = options
        let opened: OpaquePointer?
        if settings.hasTransactions {
            transactions = try checked { rocksdb_optimistictransactiondb_open(options, directory, $0) }
            opened = transactions.flatMap { rocksdb_optimistictransactiondb_get_base_db($0) }
        } else {
            transactions = nil
            opened = try checked { rocksdb_open(options, directory, $0) }
        }
        guard let opened else { throw BenchmarkError("RocksDB did not open \(directory)") }
        database = opened
    }

    static func describe(_ settings: EngineSettings) -> String {
        """
        write_buffer_size=\(settings.writeBufferBytes >> 20)MiB \
        block_cache=\(EngineSettings.cacheBytes >> 20)MiB(LRU) bloom=\(EngineSettings.bloomBits)(full) \
        compression=\(settings.hasDefaultCompression ? "default" : "none") sync=\(settings.isSynced)\(settings.hasTransactions ? " OptimisticTransactionDB" : ""), otherwise defaults; get_pinned and one copy
        """
    }

    func makeSession() -> Session { Session(database, transactions, isSynced: isSynced) }

    func compact() { rocksdb_compact_range(database, nil, 0, nil, 0) }

    func close() {
        if let transactions {
            rocksdb_optimistictransactiondb_close_base_db(database)
            rocksdb_optimistictransactiondb_close(transactions)
        } else {
            rocksdb_close(database)
        }
        rocksdb_options_destroy(options)
        rocksdb_cache_destroy(cache)
    }

    final class Session: EngineSession {
        private let database: OpaquePointer
        private let reading = rocksdb_readoptions_create()
        private let writing = rocksdb_writeoptions_create()
        private let batch = rocksdb_writebatch_create()
        private let transaction: RocksDBTransaction?
        private let copy = ValueCopy()

        init(_ database: OpaquePointer, _ transactions: OpaquePointer?, isSynced: Bool) {
            self.database = database
            transaction = transactions.map { RocksDBTransaction($0, isSynced: isSynced) }
            rocksdb_writeoptions_set_sync(writing, isSynced ? 1 : 0)
        }

        deinit {
            rocksdb_readoptions_destroy(reading)
            rocksdb_writeoptions_destroy(writing)
            rocksdb_writebatch_destroy(batch)
        }

        @inline(__always)
        func put(_ key: Bytes, _ value: Bytes) throws {
            try checked {
                rocksdb_put(database, writing, key.characters, key.count, value.characters, value.count, $0)
            }
        }

        @inline(__always)
        func delete(_ key: Bytes) throws {
            try checked { rocksdb_delete(database, writing, key.characters, key.count, $0) }
        }

        func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) throws {
            rocksdb_writebatch_clear(batch)
            for i in 0..<count {
                let (key, value) = entry(i)
                rocksdb_writebatch_put(batch, key.characters, key.count, value.characters, value.count)
            }
            try checked { rocksdb_write(database, writing, batch, $0) }
        }

        @inline(__always)
        func get(_ key: Bytes, of index: Int, _ tally: inout Tally) throws {
            let pinned = try checked { rocksdb_get_pinned(database, reading, key.characters, key.count, $0) }
            guard let pinned else { return }
            var count = 0
            let value = rocksdb_pinnableslice_value(pinned, &count)
            tally.add(copy.take(Bytes(start: value, count: count)), of: index)
            rocksdb_pinnableslice_destroy(pinned)
        }

        @inline(__always)
        func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) throws {
            let iterator = rocksdb_create_iterator(database, reading)
            defer { rocksdb_iter_destroy(iterator) }
            if let from {
                rocksdb_iter_seek(iterator, from.characters, from.count)
            } else if reverse {
                rocksdb_iter_seek_to_last(iterator)
            } else {
                rocksdb_iter_seek_to_first(iterator)
            }
            var left = limit
            while left > 0, rocksdb_iter_valid(iterator) != 0 {
                var (keyCount, valueCount) = (0, 0)
                let key = rocksdb_iter_key(iterator, &keyCount)
                let value = rocksdb_iter_value(iterator, &valueCount)
                visitor.visit(Bytes(start: key, count: keyCount), Bytes(start: value, count: valueCount))
                left -= 1
                if left == 0 { break }
                if reverse { rocksdb_iter_prev(iterator) } else { rocksdb_iter_next(iterator) }
            }
            try checked { rocksdb_iter_get_error(iterator, $0) }
        }

        func transact<B: TransactionBody>(_ body: B) throws {
            guard let transaction else { throw BenchmarkError("was opened without transactions") }
            try transaction.transact(body)
        }
    }
}

/// Calls a function of RocksDB that reports failure by an error text.
@inline(__always)
private func checked<R>(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) throws -> R {
    var text: UnsafeMutablePointer<CChar>?
    let result = call(&text)
    if let text {
        defer { rocksdb_free(text) }
        throw BenchmarkError("RocksDB: \(String(cString: text))")
    }
    return result
}
#endif
