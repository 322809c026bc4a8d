public import Foundation

/// A repository in the user's defaults: for a few small items, such as settings.
///
/// The system keeps all defaults of a program in memory and writes them out as a whole. What was acknowledged survives
/// the end of the process once the system has written it, which it is asked to do with every change. Changes are atomic
/// within the process, batches too; other processes that change the same table at the same time are not kept apart.
///
/// The key of an item with a plain name is `database_<table>_item_<identifier>`.
public final class UserDefaultsRepository: RecordRepository {
    /// The table's name.
    public let tableName: String
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    private let defaults: Defaults
    private let prefix: String

    /// Creates a repository.
    /// - Parameters:
    ///   - tableName: tells the repositories of the same defaults apart.
    ///   - dataTransformer: the format of the items.
    ///   - defaults: where the items go.
    public init(
        tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer(),
        defaults: UserDefaults = .standard
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        self.defaults = Defaults(defaults)
        // The table's name is free of `_` after this, so that `_item_` ends it, whatever the identifier holds.
        prefix = "database_\(PercentEscape.keyPart.escape(tableName))_item_"
    }

    private func key(_ id: CRUDRepository.ItemIdentifier) -> String { prefix + PercentEscape.keyEnd.escape(id) }

    /// Runs `body` alone among all repositories of this process: it may look first and change then. On a thread that
    /// may wait, as the defaults are written to disk.
    private func exclusively<R: Sendable>(_ body: @escaping @Sendable (UserDefaults) throws -> R) async throws -> R {
        let defaults = defaults
        return try await Self.queue.run { try body(defaults.value) }
    }

    private static let queue = BlockingQueue(label: "CRUDKit.UserDefaultsRepository")

    /// `@unchecked Sendable`: the documentation of `UserDefaults` calls it thread-safe, though not its declaration on
    /// every platform; and it is used on one queue only.
    private struct Defaults: @unchecked Sendable {
        let value: UserDefaults
        init(_ value: UserDefaults) { self.value = value }
    }
}

extension UserDefaultsRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? {
        let key = key(id)
        return try await exclusively { $0.data(forKey: key) }
    }

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await insertRecords([(id, record)]) == nil
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        let key = key(id)
        return try await exclusively { defaults in
            guard defaults.data(forKey: key) != nil else { return false }
            defaults.set(record, forKey: key)
            try Self.write(defaults)
            return true
        }
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        let key = key(id)
        try await exclusively { defaults in
            defaults.set(record, forKey: key)
            try Self.write(defaults)
        }
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await removeRecords(ids: [id]) == nil
    }

    /// Stores all of several records, or none.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        let entries = records.map { (id: $0.id, key: key($0.id), record: $0.record) }
        return try await exclusively { defaults in
            if let existing = entries.first(where: { defaults.data(forKey: $0.key) != nil }) { return existing.id }
            for entry in entries { defaults.set(entry.record, forKey: entry.key) }
            try Self.write(defaults)
            return nil
        }
    }

    /// Removes all of several records, or none.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        let entries = ids.map { (id: $0, key: key($0)) }
        return try await exclusively { defaults in
            if let missing = entries.first(where: { defaults.data(forKey: $0.key) == nil }) { return missing.id }
            for entry in entries { defaults.removeObject(forKey: entry.key) }
            try Self.write(defaults)
            return nil
        }
    }

    /// One page of identifiers.
    /// - Complexity: O(*n* log *n*) in the number of all defaults, however short the page.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        let prefix = prefix
        return try await exclusively { Self.ids(in: $0, prefix: prefix, after: identifier, limit: limit) }
    }

    /// One page of identifiers and bytes, as of one moment.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        let prefix = prefix
        return try await exclusively { defaults in
            Self.ids(in: defaults, prefix: prefix, after: identifier, limit: limit).compactMap { id in
                defaults.data(forKey: prefix + PercentEscape.keyEnd.escape(id)).map { (id, $0) }
            }
        }
    }

    private static func ids(in defaults: UserDefaults, prefix: String, after last: String?, limit: Int) -> [String] {
        let ids = defaults.dictionaryRepresentation().compactMap { key, value in
            value is Data && key.hasPrefix(prefix)
                ? PercentEscape.keyEnd.unescape(key.utf8.dropFirst(prefix.utf8.count).string) : nil
        }
        return ids.page(after: last, limit: limit)
    }

    private static func write(_ defaults: UserDefaults) throws {
        guard defaults.synchronize() else {
            throw CRUDRepositoryError.databaseError(reason: "The user's defaults could not be written.")
        }
    }
}

extension Substring.UTF8View {
    fileprivate var string: Substring { Substring(self) }
}
