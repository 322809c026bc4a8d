import CRUDKit
import Foundation

/// A table as careless programs keep it: a dictionary by a key that is made of table and identifier.
final class FaultyDatabase: Sendable {
    let values = Locked<[[UInt8]: Data]>([:])
}

/// A repository with one fault, and right without it.
struct FaultyRepository: CRUDRepository, Sendable {
    /// What is wrong.
    enum Fault: CaseIterable {
        case createOverwrites, createIsNotAtomic, deletePrefixesTwice, deleteOfMissingIsSilent, deleteIsNotAtomic
        case updateCreates, updateMerges, readOfMissingIsDatabaseError, keysRunTogether, keysStopAtNull
        case keysIgnoreCase, keysAreNormalized, slashesAreStripped, longKeysAreCut, writesBeforeEncoding
        case forgetsOtherRepositories, wrongIdentifierInError
    }

    let table: String
    let fault: Fault?
    let database: FaultyDatabase

    init(table: String, fault: Fault?, database: FaultyDatabase) {
        self.table = table
        self.fault = fault
        self.database = fault == .forgetsOtherRepositories ? FaultyDatabase() : database
    }

    private func key(_ id: String) -> [UInt8] {
        switch fault {
        case .keysRunTogether: return Array("database_\(table)_item_\(id)".utf8)
        case .keysStopAtNull: return separate(table) + id.utf8.prefix { $0 != 0 }
        case .keysIgnoreCase: return separate(table) + Array(id.lowercased().utf8)
        case .keysAreNormalized: return separate(table) + Array(id.precomposedStringWithCanonicalMapping.utf8)
        case .slashesAreStripped: return separate(table) + id.utf8.filter { $0 != UInt8(ascii: "/") }
        case .longKeysAreCut: return separate(table) + id.utf8.prefix(255)
        default: return separate(table) + Array(id.utf8)
        }
    }

    private func separate(_ table: String) -> [UInt8] { Array("\(table.utf8.count):".utf8) + Array(table.utf8) }

    private func get(_ id: String) -> Data? { database.values.withLock { $0[key(id)] } }

    private func set(_ id: String, _ data: Data?) { database.values.withLock { $0[key(id)] = data } }

    private func missing(_ id: String) -> CRUDRepositoryError {
        fault == .wrongIdentifierInError ? .recordNotFound(id: "item_\(id)") : .recordNotFound(id: id)
    }

    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        if fault == .writesBeforeEncoding, get(id) == nil { set(id, Data("[\"begun\"]".utf8)) }
        let data = try await JSONDataTransformer().encode(item)
        if fault == .createOverwrites || fault == .writesBeforeEncoding { return set(id, data) }
        if fault == .createIsNotAtomic {
            guard get(id) == nil else { throw CRUDRepositoryError.recordAlreadyExists(id: id) }
            await Task.yield()
            return set(id, data)
        }
        try database.values.withLock { values in
            guard values[key(id)] == nil else { throw CRUDRepositoryError.recordAlreadyExists(id: id) }
            values[key(id)] = data
        }
    }

    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        guard let data = get(id) else {
            throw fault == .readOfMissingIsDatabaseError ? CRUDRepositoryError.databaseError : missing(id)
        }
        return try await JSONDataTransformer().decode(data: data)
    }

    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        let data = try await JSONDataTransformer().encode(item)
        try database.values.withLock { values in
            guard let old = values[key(id)] else {
                if fault == .updateCreates { values[key(id)] = data }
                throw missing(id)
            }
            values[key(id)] = fault == .updateMerges && old.count > data.count ? old : data
        }
    }

    func delete(id: CRUDRepository.ItemIdentifier) async throws {
        if fault == .deletePrefixesTwice {
            let twice = "database_\(table)_item_\(id)"
            guard get(twice) != nil else { throw missing(id) }
            return set(twice, nil)
        }
        if fault == .deleteIsNotAtomic {
            guard get(id) != nil else { throw missing(id) }
            await Task.yield()
            return set(id, nil)
        }
        let existed = database.values.withLock { $0.removeValue(forKey: key(id)) != nil }
        guard existed || fault == .deleteOfMissingIsSilent else { throw missing(id) }
    }
}

/// A collection whose listing has one fault.
struct FaultyCollection: CRUDCollection {
    /// What is wrong.
    enum Fault: CaseIterable {
        case ordersAsStrings, mergesEquivalents, pageBeginsWithLast, missesTheLast, batchStopsSilently, upsertIgnores
    }

    let base: InMemoryRepository
    let fault: Fault

    func create<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await base.create(id: id, item: item)
    }
    func read<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier) async throws -> T {
        try await base.read(id: id)
    }
    func update<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        try await base.update(id: id, item: item)
    }
    func delete(id: CRUDRepository.ItemIdentifier) async throws { try await base.delete(id: id) }

    func upsert<T: CRUDRepository.Item>(id: CRUDRepository.ItemIdentifier, item: T) async throws {
        if fault == .upsertIgnores, try await exists(id: id) { return }
        try await base.upsert(id: id, item: item)
    }

    func createAll<T: CRUDRepository.Item>(_ items: [(id: CRUDRepository.ItemIdentifier, item: T)]) async throws {
        if fault != .batchStopsSilently { return try await base.createAll(items) }
        for (id, item) in items {
            do { try await base.create(id: id, item: item) } catch CRUDRepositoryError.recordAlreadyExists { return }
        }
    }

    func ids(after identifier: CRUDRepository.ItemIdentifier?, limit: Int) async throws -> [CRUDRepository
        .ItemIdentifier]
    {
        var all = base.ids(after: nil, limit: .max)
        switch fault {
        case .ordersAsStrings: all.sort()
        case .mergesEquivalents: all = Set(all).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        case .missesTheLast: all = all.dropLast()
        default: break
        }
        guard let identifier else { return Array(all.prefix(limit)) }
        let rest = all.filter {
            fault == .ordersAsStrings ? identifier < $0 : identifier.utf8.lexicographicallyPrecedes($0.utf8)
        }
        return Array((fault == .pageBeginsWithLast ? [identifier] + rest : rest).prefix(limit))
    }
}
