import Foundation
import Synchronization

@testable import SiltBench

/// An engine in memory that may be told to lie: to prove that the harness finds out.
final class LyingEngine: Engine {
    /// What it does wrong.
    enum Lie: String {
        case none, dropsWrites, forgetsDeletes, swapsValues, cutsScans, forgetsAtClose
        case tearsTransactions, skipsTransactions, losesUpdates
    }

    /// Set by a test through the directory's name: engines are made by the harness.
    private let lie: Lie
    private let entries = Mutex<[[UInt8]: [UInt8]]>([:])
    private let writes = Atomic(0)
    private let transactions = Atomic(0)
    /// What it held some transactions ago.
    private let earlier = Mutex<[[UInt8]: [UInt8]]>([:])
    private let directory: String
    /// What closed ones held, by directory.
    private static let closed = Mutex<[String: [[UInt8]: [UInt8]]]>([:])

    static var version: String { "lies" }
    static var build: LibraryBuild { LibraryBuild(path: nil, hasAssertions: nil) }
    static func describe(_ settings: EngineSettings) -> String { "" }

    init(directory: String, settings: EngineSettings) {
        lie = directory.split(separator: "/").lazy.compactMap { Lie(rawValue: String($0)) }.first ?? .none
        self.directory = directory
        let kept = Self.closed.withLock { $0.removeValue(forKey: directory) }
        if let kept { entries.withLock { $0 = kept } }
    }

    func makeSession() -> Session { Session(self) }
    func compact() {}

    func close() {
        if lie == .forgetsAtClose { return }
        let kept = entries.withLock { $0 }
        Self.closed.withLock { $0[directory] = kept }
    }

    final class Session: EngineSession {
        private let engine: LyingEngine

        init(_ engine: LyingEngine) { self.engine = engine }

        func put(_ key: Bytes, _ value: Bytes) {
            let number = engine.writes.add(1, ordering: .relaxed).newValue
            if engine.lie == .dropsWrites, number % 100 == 0 { return }
            var value = [UInt8](value)
            if engine.lie == .swapsValues, number % 100 == 0 { value[50] ^= 1 }
            engine.entries.withLock { $0[[UInt8](key)] = value }
        }

        func delete(_ key: Bytes) {
            if engine.lie == .forgetsDeletes { return }
            engine.entries.withLock { $0[[UInt8](key)] = nil }
        }

        func putAll(_ count: Int, _ entry: (Int) -> (key: Bytes, value: Bytes)) {
            for i in 0..<count {
                let (key, value) = entry(i)
                put(key, value)
            }
        }

        func get(_ key: Bytes, of index: Int, _ tally: inout Tally) {
            guard let value = engine.entries.withLock({ $0[[UInt8](key)] }) else { return }
            value.withUnsafeBytes { tally.add($0, of: index) }
        }

        /// Runs one at a time, and each tenth twice, as after a conflict.
        func transact<B: TransactionBody>(_ body: B) throws {
            let number = engine.transactions.add(1, ordering: .relaxed).newValue
            let isLie = number % 100 == 0
            try engine.entries.withLock { entries in
                if number % 10 == 0 { try body.run(Handle(entries)) }
                let stale = isLie && engine.lie == .losesUpdates ? engine.earlier.withLock { $0 } : nil
                let handle = Handle(stale ?? entries)
                try body.run(handle)
                if isLie, engine.lie == .skipsTransactions { return }
                if isLie, engine.lie == .tearsTransactions { handle.writes.removeLast() }
                if number % 100 == 50 {
                    let now = entries
                    engine.earlier.withLock { $0 = now }
                }
                for write in handle.writes { entries[write.key] = write.value }
            }
        }

        /// A transaction under way.
        private final class Handle: EngineTransaction {
            private let entries: [[UInt8]: [UInt8]]
            var writes: [(key: [UInt8], value: [UInt8])] = []

            init(_ entries: [[UInt8]: [UInt8]]) { self.entries = entries }

            func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) -> Int? {
                entries[[UInt8](key)].map { value in value.withUnsafeBytes { Self.copy($0, to: memory) } }
            }

            func update(_ key: Bytes, _ value: Bytes) { writes.append(([UInt8](key), [UInt8](value))) }
        }

        func scan<V: EntryVisitor>(from: Bytes?, reverse: Bool, limit: Int, _ visitor: inout V) {
            let entries = engine.entries.withLock { $0 }
            var keys = entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
            if let from { keys.removeAll { $0.lexicographicallyPrecedes(from) } }
            if reverse { keys.reverse() }
            if engine.lie == .cutsScans { keys = keys.dropLast() }
            for key in keys.prefix(limit) {
                key.withUnsafeBytes { key in
                    entries[[UInt8](key)]?.withUnsafeBytes { value in visitor.visit(key, value) }
                }
            }
        }
    }
}
