public import Foundation

/// A repository in the user's defaults, for a few small items such as settings.
///
/// The system keeps all defaults of a program in memory and writes them as a whole. Every change requests that write;
/// acknowledged changes survive the process once it is done. If the system refuses to write, the change throws
/// ``CRUDRepositoryError/unknownOutcome(reason:)``: it is visible, but may not survive the process. Changes and batches
/// are atomic within the process, but not against other processes that change the same table at the same time.
///
/// The key of an item with a plain identifier is `database_<table>_item_<identifier>`.
public final class UserDefaultsRepository: RecordRepository {
    /// The name of the table.
    public let tableName: String
    /// The format of the items.
    public let dataTransformer: any DataTransformer
    private let defaults: Defaults
    private let prefix: String

    /// Creates a repository.
    /// - Parameters:
    ///   - tableName: separates repositories of the same defaults.
    ///   - dataTransformer: the format of the items.
    ///   - defaults: the defaults that hold the items.
    public init(
        tableName: String = "", dataTransformer: any DataTransformer = JSONDataTransformer(),
        defaults: UserDefaults = .standard
    ) {
        self.tableName = tableName
        self.dataTransformer = dataTransformer
        self.defaults = Defaults(defaults)
        // Escaping removes `_` from the table's name, so `_item_` ends it for any identifier.
        prefix = "database_\(PercentEscape.keyPart.escape(tableName))_item_"
    }

    private func key(_ id: CRUDRepository.ItemIdentifier) -> String { prefix + PercentEscape.keyEnd.escape(id) }

    /// Runs `body` exclusively among all repositories of this process, so it may check and then change. It runs on a
    /// thread that may block, because defaults are written to disk.
    private func exclusively<R: Sendable>(_ body: @escaping @Sendable (UserDefaults) throws -> R) async throws -> R {
        let defaults = defaults
        return try await Self.queue.run { try body(defaults.value) }
    }

    private static let queue = BlockingQueue(label: "CRUDKit.UserDefaultsRepository")

    /// `@unchecked Sendable`: the documentation of `UserDefaults` calls it thread-safe, but not every platform declares
    /// it so. It is used on one queue only.
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

    /// Stores bytes under a new identifier; returns false if it exists.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await insertRecords([(id, record)]) == nil
    }

    /// Replaces the bytes under an identifier; returns false if it does not exist.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        let key = key(id)
        return try await exclusively { defaults in
            guard defaults.data(forKey: key) != nil else { return false }
            defaults.set(record, forKey: key)
            try Self.write(defaults)
            return true
        }
    }

    /// Stores bytes under an identifier, new or not.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        let key = key(id)
        try await exclusively { defaults in
            defaults.set(record, forKey: key)
            try Self.write(defaults)
        }
    }

    /// Removes an identifier and its bytes; returns false if it does not exist.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await removeRecords(ids: [id]) == nil
    }

    /// Stores all records, or none if an identifier exists. Returns that identifier, or nil.
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

    /// Removes all records, or none if an identifier does not exist. Returns that identifier, or nil.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        let entries = ids.map { (id: $0, key: key($0)) }
        return try await exclusively { defaults in
            if let missing = entries.first(where: { defaults.data(forKey: $0.key) == nil }) { return missing.id }
            for entry in entries { defaults.removeObject(forKey: entry.key) }
            try Self.write(defaults)
            return nil
        }
    }

    /// A page of identifiers.
    /// - Complexity: O(*n* log *n*) in the number of all defaults, for a page of any size.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        let prefix = prefix
        return try await exclusively { Self.ids(in: $0, prefix: prefix, after: identifier, limit: limit) }
    }

    /// A page of identifiers and bytes, read atomically.
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
            throw CRUDRepositoryError.unknownOutcome(
                reason: "The change is in memory, but the user's defaults could not be written.")
        }
    }
}

extension Substring.UTF8View {
    fileprivate var string: Substring { Substring(self) }
}
