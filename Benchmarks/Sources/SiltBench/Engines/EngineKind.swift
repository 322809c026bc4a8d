/// The engines that the harness knows, and what else a repository of items may stand on.
enum EngineKind: String, Codable, CaseIterable, Sendable {
    case siltstone, leveldb, rocksdb, lmdb, sqlite
    /// `FileSystemRepository`, `InMemoryRepository`.
    case files, memory
    /// SQLite in the way in which Perfect-SQLite uses it, for tables.
    case perfect
    /// Servers, behind the interface of tables.
    case postgres, mariadb
    /// Clusters of three of them: a leader with synchronous standbys, and nodes that all take writes.
    case patroni, galera
    /// The C libraries below the adapters, beside which the adapters are measured.
    case libpq, libmariadb

    /// As its authors write it.
    var title: String {
        switch self {
        case .siltstone: "Siltstone"
        case .leveldb: "LevelDB"
        case .rocksdb: "RocksDB"
        case .lmdb: "LMDB"
        case .sqlite: "SQLite"
        case .files: "files"
        case .memory: "memory"
        case .perfect: "Perfect's way"
        case .postgres: "PostgreSQL"
        case .mariadb: "MariaDB"
        case .patroni: "Patroni"
        case .galera: "Galera"
        case .libpq: "libpq"
        case .libmariadb: "libmariadb"
        }
    }

    /// Those within the process.
    static let stores: [EngineKind] = [.siltstone, .leveldb, .rocksdb, .lmdb, .sqlite]

    /// Those beside it.
    static let servers: [EngineKind] = [.postgres, .mariadb, .patroni, .galera]

    /// Those that can be named on the command line.
    static let named: [EngineKind] = stores + servers

    /// Whether Siltstone is compared with it: what forgets everything at its end does not do the same work, another way
    /// to use a peer is no peer, and a server does more.
    var isPeer: Bool { self == .files || (Self.stores.contains(self) && self != .siltstone) }

    /// The C library below a server's adapter, which is measured with it.
    var plainClient: EngineKind? {
        switch self {
        case .postgres: .libpq
        case .mariadb: .libmariadb
        default: nil
        }
    }

    /// Whether it is another, or the library below it.
    func goes(with other: EngineKind) -> Bool { self == other || self == other.plainClient }

    /// Whether it is measured by the worker of another.
    var isPlainClient: Bool { self == .libpq || self == .libmariadb }

    /// Whether it does the same work as the others in what a label stands for: LMDB has no log to recover and no runs to
    /// merge, its compaction being a copy; SQLite's log, of the same bytes, holds a fortieth of the others' transactions.
    func isComparable(_ label: String) -> Bool {
        if label.hasSuffix("recover") { return self != .lmdb && self != .sqlite }
        return self != .lmdb || !label.hasSuffix("compact")
    }

    /// Whether it has transactions that read and write. LevelDB has batches of writes alone.
    var hasTransactions: Bool { Self.stores.contains(self) && self != .leveldb }

    /// Those that this program was built with.
    static let available: [EngineKind] = {
        var engines = [EngineKind.siltstone]
        #if PEER_LEVELDB
        engines.append(.leveldb)
        #endif
        #if PEER_ROCKSDB
        engines.append(.rocksdb)
        #endif
        #if PEER_LMDB
        engines.append(.lmdb)
        #endif
        #if PEER_SQLITE
        engines.append(.sqlite)
        #endif
        #if SERVER_POSTGRESQL
        engines += [.postgres, .patroni]
        #endif
        #if SERVER_MARIADB
        engines += [.mariadb, .galera]
        #endif
        return named.filter { engines.contains($0) }
    }()

    /// Calls `visitor` with the engine's type: the one place where an engine is chosen at run time.
    func accept<V: EngineVisitor>(_ visitor: V) throws -> V.Result {
        if self == .siltstone { return try visitor.visit(SiltstoneEngine.self) }
        #if PEER_LEVELDB
        if self == .leveldb { return try visitor.visit(LevelDBEngine.self) }
        #endif
        #if PEER_ROCKSDB
        if self == .rocksdb { return try visitor.visit(RocksDBEngine.self) }
        #endif
        #if PEER_LMDB
        if self == .lmdb { return try visitor.visit(LMDBEngine.self) }
        #endif
        #if PEER_SQLITE
        if self == .sqlite { return try visitor.visit(SQLiteEngine.self) }
        #endif
        throw BenchmarkError("silt-bench was built without \(title)")
    }
}

/// Something to do with an engine's type.
protocol EngineVisitor {
    associatedtype Result
    func visit<E: Engine>(_ engine: E.Type) throws -> Result
}
