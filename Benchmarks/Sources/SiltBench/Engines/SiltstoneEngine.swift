import Siltstone

/// The engine of this repository, with its defaults but for durability.
final class SiltstoneEngine: Engine {
    static var version: String { "Siltstone \(LibraryBuild.commit ?? "(this checkout)")" }

    static var build: LibraryBuild {
        #if DEBUG
        LibraryBuild(path: "this program", hasAssertions: true)
        #else
        LibraryBuild(path: "this program", hasAssertions: false)
        #endif
    }

    private let store: KeyValueStore

    static func isLog(_ name: String) -> Bool? { name.hasSuffix(".log") || name.hasSuffix(".values") }

    static func isTable(_ name: String) -> Bool { name.hasSuffix(".segment") }

    init(directory: String, settings: EngineSettings) throws {
        store = try KeyValueStore.open(at: directory, configuration: Self.configuration(settings))
    }

    static func describe(_ settings: EngineSettings) -> String {
        let options = configuration(settings)
        return """
            durability=\(options.durability) memTableBytes=\(options.memTableBytes >> 20)MiB \
            cacheBytes=\(options.cacheBytes >> 20)MiB, otherwise defaults (blockBytes=\(options.blockBytes >> 10)KiB, \
            access=\(options.access), logWriting=\(options.logWriting), compression=\(options.compression))
            """
    }

    static func configuration(_ settings: EngineSettings) -> Configuration {
        var configuration = Configuration()
        configuration.durability = settings.isSynced ? .synced : .buffered
        configuration.memTableBytes = settings.writeBufferBytes
        configuration.cacheBytes = EngineSettings.cacheBytes
        return configuration
    }

    func makeSession() -> Session { Session(store) }

    func compact() throws { try store.compact() }

    func close() throws { try store.close() }

    final class Session: EngineSession {
        private let store: KeyValueStore
        private let copy = ValueCopy()
        private var batch = WriteBatch()

        init(_ store: KeyValueStore) { self.store = store }

        @inline(__always)
        func put(_ key: Bytes, _ value: Bytes) throws { try store.put(key, value) }

        @inline(__always)
        func delete(_ key: Bytes) throws { try store.delete(key) }

        func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) throws {
            batch.removeAll()
            for i in 0..<count {
                let (key, value) = entry(i)
                batch.put(key, value)
            }
            try store.write(batch)
        }

        @inline(__always)
        func get(_ key: Bytes, of index: Int, _ tally: inout Tally) throws {
            let copy = copy
            try store.withValue(key) { value in
                value.withUnsafeBytes { tally.add(copy.take($0), of: index) }
            }
        }

        @inline(__always)
        func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) throws {
            try store.forEach(from: from.map { [UInt8]($0) }, reverse: reverse, limit: limit) { key, value in
                key.withUnsafeBytes { key in value.withUnsafeBytes { value in visitor.visit(key, value) } }
                return true
            }
        }

        func transact<B: TransactionBody>(_ body: B) throws {
            try store.transaction(attempts: TransactionAttempts.limit) { try body.run(Handle(transaction: $0)) }
        }
    }

    /// A transaction under way.
    private struct Handle: EngineTransaction {
        let transaction: Transaction

        @inline(__always)
        func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) throws -> Int? {
            try transaction.withValue(key) { value in value.withUnsafeBytes { Self.copy($0, to: memory) } }
        }

        @inline(__always)
        func update(_ key: Bytes, _ value: Bytes) throws { try transaction.put(key, value) }
    }
}
