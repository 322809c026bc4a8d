#if PEER_LMDB
import CLMDB
import Foundation
import Synchronization

/// LMDB: a transaction for each write, a read transaction for each thread that is reset and renewed.
final class LMDBEngine: Engine {
    static var version: String { "LMDB \(MDB_VERSION_MAJOR).\(MDB_VERSION_MINOR).\(MDB_VERSION_PATCH)" }

    /// An assertion of its source, which a release build has not.
    static var build: LibraryBuild {
        LibraryBuild(function: "mdb_env_open", assertion: "IS_LEAF(mc->mc_pg[mc->mc_top])")
    }

    /// An open environment and its one database.
    ///
    /// `@unchecked Sendable`: LMDB's environment is documented as safe to share between threads.
    fileprivate struct Environment: @unchecked Sendable {
        let handle: OpaquePointer
        let database: MDB_dbi
    }

    private let directory: String
    private let settings: EngineSettings
    /// Changes where ``compact()`` puts the compacted copy in the place of the original.
    private let environment: Mutex<Environment>

    init(directory: String, settings: EngineSettings) throws {
        self.directory = directory
        self.settings = settings
        environment = Mutex(try Self.open(directory, settings))
    }

    static func describe(_ settings: EngineSettings) -> String {
        """
        mapsize=64GiB MDB_NOTLS\(settings.hasWriteMap ? " MDB_WRITEMAP" : "") \
        sync=\(settings.isSynced ? "on" : "MDB_NOSYNC"), otherwise defaults, a read transaction that is renewed; \
        has no filters, no compression
        """
    }

    private static func open(_ directory: String, _ settings: EngineSettings) throws -> Environment {
        var handle: OpaquePointer?
        try check(mdb_env_create(&handle))
        guard let handle else { throw BenchmarkError("LMDB made no environment") }
        try check(mdb_env_set_mapsize(handle, 64 << 30))
        let flags = MDB_NOTLS | (settings.isSynced ? 0 : MDB_NOSYNC) | (settings.hasWriteMap ? MDB_WRITEMAP : 0)
        try check(mdb_env_open(handle, directory, UInt32(flags), 0o644))
        var transaction: OpaquePointer?
        var database = MDB_dbi()
        try check(mdb_txn_begin(handle, nil, 0, &transaction))
        try check(mdb_dbi_open(transaction, nil, 0, &database))
        try check(mdb_txn_commit(transaction))
        return Environment(handle: handle, database: database)
    }

    func makeSession() throws -> Session { try Session(environment.withLock { $0 }) }

    /// Copies the live pages, which is LMDB's way to compact, and takes the copy.
    func compact() throws {
        let copy = directory + "/compacted"
        try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
        try environment.withLock { environment in
            try check(mdb_env_copy2(environment.handle, copy, UInt32(MDB_CP_COMPACT)))
            mdb_env_close(environment.handle)
            guard rename(copy + "/data.mdb", directory + "/data.mdb") == 0 else {
                throw BenchmarkError("cannot put LMDB's copy in place: errno \(errno)")
            }
            try FileManager.default.removeItem(atPath: copy)
            environment = try Self.open(directory, settings)
        }
    }

    func close() { environment.withLock { mdb_env_close($0.handle) } }

    final class Session: EngineSession {
        private let environment: Environment
        private let reading: OpaquePointer
        private let cursor: OpaquePointer
        private let copy = ValueCopy()

        fileprivate init(_ environment: Environment) throws {
            self.environment = environment
            var transaction: OpaquePointer?
            var cursor: OpaquePointer?
            try check(mdb_txn_begin(environment.handle, nil, UInt32(MDB_RDONLY), &transaction))
            try check(mdb_cursor_open(transaction, environment.database, &cursor))
            guard let transaction, let cursor else { throw BenchmarkError("LMDB made no cursor") }
            mdb_txn_reset(transaction)
            self.reading = transaction
            self.cursor = cursor
        }

        deinit {
            mdb_cursor_close(cursor)
            mdb_txn_abort(reading)
        }

        /// Runs `body` in a write transaction.
        @inline(__always)
        private func write(_ body: (OpaquePointer?) throws -> Void) throws {
            var transaction: OpaquePointer?
            try check(mdb_txn_begin(environment.handle, nil, 0, &transaction))
            do { try body(transaction) } catch {
                mdb_txn_abort(transaction)
                throw error
            }
            try check(mdb_txn_commit(transaction))
        }

        @inline(__always)
        private func put(_ key: Bytes, _ value: Bytes, _ transaction: OpaquePointer?) throws {
            var key = MDB_val(key)
            var value = MDB_val(value)
            try check(mdb_put(transaction, environment.database, &key, &value, 0))
        }

        @inline(__always)
        func put(_ key: Bytes, _ value: Bytes) throws { try write { try put(key, value, $0) } }

        func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) throws {
            try write { transaction in
                for i in 0..<count {
                    let (key, value) = entry(i)
                    try put(key, value, transaction)
                }
            }
        }

        @inline(__always)
        func delete(_ key: Bytes) throws {
            try write { transaction in
                var key = MDB_val(key)
                let status = mdb_del(transaction, environment.database, &key, nil)
                // No error, as in the other engines.
                if status != MDB_NOTFOUND { try check(status) }
            }
        }

        @inline(__always)
        func get(_ key: Bytes, of index: Int, _ tally: inout Tally) throws {
            try check(mdb_txn_renew(reading))
            defer { mdb_txn_reset(reading) }
            var key = MDB_val(key)
            var value = MDB_val()
            let status = mdb_get(reading, environment.database, &key, &value)
            if status == MDB_NOTFOUND { return }
            try check(status)
            tally.add(copy.take(value.bytes), of: index)
        }

        @inline(__always)
        func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) throws {
            try check(mdb_txn_renew(reading))
            defer { mdb_txn_reset(reading) }
            try check(mdb_cursor_renew(reading, cursor))
            var key = from.map { MDB_val($0) } ?? MDB_val()
            var value = MDB_val()
            let first = from != nil ? MDB_SET_RANGE : reverse ? MDB_LAST : MDB_FIRST
            let next = reverse ? MDB_PREV : MDB_NEXT
            var status = limit > 0 ? mdb_cursor_get(cursor, &key, &value, first) : MDB_NOTFOUND
            var left = limit
            while status == 0 {
                visitor.visit(key.bytes, value.bytes)
                left -= 1
                if left == 0 { return }
                status = mdb_cursor_get(cursor, &key, &value, next)
            }
            if status != MDB_NOTFOUND { try check(status) }
        }

        /// There is one write transaction at a time, and none meets a conflict.
        func transact<B: TransactionBody>(_ body: B) throws {
            try write { try body.run(Transaction(handle: $0, database: environment.database)) }
        }
    }

    /// A write transaction under way.
    private struct Transaction: EngineTransaction {
        let handle: OpaquePointer?
        let database: MDB_dbi

        @inline(__always)
        func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) throws -> Int? {
            var key = MDB_val(key)
            var value = MDB_val()
            let status = mdb_get(handle, database, &key, &value)
            if status == MDB_NOTFOUND { return nil }
            try check(status)
            return Self.copy(value.bytes, to: memory)
        }

        @inline(__always)
        func update(_ key: Bytes, _ value: Bytes) throws {
            var key = MDB_val(key)
            var value = MDB_val(value)
            try check(mdb_put(handle, database, &key, &value, 0))
        }
    }
}

extension MDB_val {
    @inline(__always)
    fileprivate init(_ bytes: Bytes) {
        // LMDB does not write to what it is given; its one type of argument cannot say so.
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }

    @inline(__always)
    fileprivate var bytes: Bytes { Bytes(start: mv_data, count: mv_size) }
}

@inline(__always)
private func check(_ status: CInt) throws {
    if status != 0 { throw BenchmarkError("LMDB: \(String(cString: mdb_strerror(status)))") }
}
#endif
