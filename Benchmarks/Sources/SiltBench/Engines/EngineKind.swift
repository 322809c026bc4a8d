/// The engines that the harness knows.
enum EngineKind: String, Codable, CaseIterable, Sendable {
    case siltstone, leveldb, rocksdb, lmdb, sqlite

    /// As its authors write it.
    var title: String {
        switch self {
        case .siltstone: "Siltstone"
        case .leveldb: "LevelDB"
        case .rocksdb: "RocksDB"
        case .lmdb: "LMDB"
        case .sqlite: "SQLite"
        }
    }

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
        return engines
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
