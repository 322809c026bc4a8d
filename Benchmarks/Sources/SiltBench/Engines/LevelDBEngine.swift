#if PEER_LEVELDB
import CLevelDB

/// LevelDB through its C interface.
///
/// `@unchecked Sendable`: LevelDB's database handle, options and filter are documented as safe to share; the handle is
/// set once.
final class LevelDBEngine: Engine, @unchecked Sendable {
    static var version: String { "LevelDB \(leveldb_major_version()).\(leveldb_minor_version())" }

    /// An assertion of its source, which a release build has not.
    static var build: LibraryBuild { LibraryBuild(function: "leveldb_open", assertion: "compact->outfile != nullptr") }

    private let options = leveldb_options_create()
    private let cache = leveldb_cache_create_lru(EngineSettings.cacheBytes)
    private let filter = leveldb_filterpolicy_create_bloom(CInt(EngineSettings.bloomBits))
    private let database: OpaquePointer
    private let isSynced: Bool

    static func isLog(_ name: String) -> Bool? { name.hasSuffix(".log") }

    static func isTable(_ name: String) -> Bool { name.hasSuffix(".ldb") || name.hasSuffix(".sst") }

    init(directory: String, settings: EngineSettings) throws {
        isSynced = settings.isSynced
        leveldb_options_set_create_if_missing(options, 1)
        leveldb_options_set_write_buffer_size(options, settings.writeBufferBytes)
        leveldb_options_set_cache(options, cache)
        leveldb_options_set_filter_policy(options, filter)
        if !settings.hasDefaultCompression {
            leveldb_options_set_compression(options, CInt(leveldb_no_compression))
        }
        let options = options
        let opened = try checked { leveldb_open(options, directory, $0) }
        guard let opened else { throw BenchmarkError("LevelDB did not open \(directory)") }
        database = opened
    }

    static func describe(_ settings: EngineSettings) -> String {
        """
        write_buffer_size=\(settings.writeBufferBytes >> 20)MiB block_cache=\(EngineSettings.cacheBytes >> 20)MiB \
        bloom=\(EngineSettings.bloomBits) compression=\(settings.hasDefaultCompression ? "default" : "none") sync=\(settings.isSynced), otherwise defaults
        """
    }

    func makeSession() -> Session { Session(database, isSynced: isSynced) }

    func compact() { leveldb_compact_range(database, nil, 0, nil, 0) }

    func close() {
        leveldb_close(database)
        leveldb_options_destroy(options)
        leveldb_filterpolicy_destroy(filter)
        leveldb_cache_destroy(cache)
    }

    final class Session: EngineSession {
        private let database: OpaquePointer
        private let reading = leveldb_readoptions_create()
        private let writing = leveldb_writeoptions_create()
        private let batch = leveldb_writebatch_create()

        init(_ database: OpaquePointer, isSynced: Bool) {
            self.database = database
            leveldb_writeoptions_set_sync(writing, isSynced ? 1 : 0)
        }

        deinit {
            leveldb_readoptions_destroy(reading)
            leveldb_writeoptions_destroy(writing)
            leveldb_writebatch_destroy(batch)
        }

        @inline(__always)
        func put(_ key: Bytes, _ value: Bytes) throws {
            try checked {
                leveldb_put(database, writing, key.characters, key.count, value.characters, value.count, $0)
            }
        }

        @inline(__always)
        func delete(_ key: Bytes) throws {
            try checked { leveldb_delete(database, writing, key.characters, key.count, $0) }
        }

        func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) throws {
            leveldb_writebatch_clear(batch)
            for i in 0..<count {
                let (key, value) = entry(i)
                leveldb_writebatch_put(batch, key.characters, key.count, value.characters, value.count)
            }
            try checked { leveldb_write(database, writing, batch, $0) }
        }

        @inline(__always)
        func get(_ key: Bytes, of index: Int, _ tally: inout Tally) throws {
            var count = 0
            let value = try checked { leveldb_get(database, reading, key.characters, key.count, &count, $0) }
            guard let value else { return }
            // It is a copy of the caller's already: copying it again would handicap LevelDB.
            tally.add(Bytes(start: value, count: count), of: index)
            leveldb_free(value)
        }

        @inline(__always)
        func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) throws {
            let iterator = leveldb_create_iterator(database, reading)
            defer { leveldb_iter_destroy(iterator) }
            if let from {
                leveldb_iter_seek(iterator, from.characters, from.count)
            } else if reverse {
                leveldb_iter_seek_to_last(iterator)
            } else {
                leveldb_iter_seek_to_first(iterator)
            }
            var left = limit
            while left > 0, leveldb_iter_valid(iterator) != 0 {
                var (keyCount, valueCount) = (0, 0)
                let key = leveldb_iter_key(iterator, &keyCount)
                let value = leveldb_iter_value(iterator, &valueCount)
                visitor.visit(Bytes(start: key, count: keyCount), Bytes(start: value, count: valueCount))
                left -= 1
                if left == 0 { break }
                if reverse { leveldb_iter_prev(iterator) } else { leveldb_iter_next(iterator) }
            }
            try checked { leveldb_iter_get_error(iterator, $0) }
        }
    }
}

/// Calls a function of LevelDB that reports failure by an error text.
@inline(__always)
private func checked<R>(_ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R) throws -> R {
    var text: UnsafeMutablePointer<CChar>?
    let result = call(&text)
    if let text {
        defer { leveldb_free(text) }
        throw BenchmarkError("LevelDB: \(String(cString: text))")
    }
    return result
}
#endif
