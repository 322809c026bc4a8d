import CRUDKit
import Siltstone
import SiltstoneCRUD
import SiltstoneTables
import TableKit

/// A database opened for a move.
protocol MoveEndpoint {
    /// The engine of its tables.
    var engine: any TableEngine { get }
    /// Whether a session that reads shows the catalogue as it was at the session's begin, and not changes since.
    var keepsCatalogue: Bool { get }
    /// The table of a repository, among those of the catalogue; nil if repositories are not tables.
    func repositoryTable(_ name: String, _ tables: [TableInfo]) -> TableInfo?
    /// Whether a repository with this name exists.
    func hasRepository(_ name: String, _ tables: [TableInfo]) throws -> Bool
    /// The names of the repositories that have records or a table.
    func repositoryNames(_ tables: [TableInfo]) throws -> [String]
    /// The tables of the catalogue that hold no repository.
    func ownTables(_ tables: [TableInfo]) -> [TableInfo]
    /// The repository with this name, for its encoded records only.
    func repository(_ name: String) throws -> any RecordRepository
    /// Closes the database.
    func close() throws
}

/// A Siltstone store.
struct StoreEndpoint: MoveEndpoint {
    private let store: KeyValueStore
    let engine: any TableEngine
    let keepsCatalogue = true

    init(_ store: KeyValueStore) throws {
        self.store = store
        engine = try SiltstoneDatabaseConfiguration(store: store).engine
    }

    func repositoryTable(_ name: String, _ tables: [TableInfo]) -> TableInfo? { nil }
    func repositoryNames(_ tables: [TableInfo]) throws -> [String] { try SiltstoneRepository.tableNames(in: store) }
    func hasRepository(_ name: String, _ tables: [TableInfo]) throws -> Bool {
        try repositoryNames(tables).contains { $0.utf8.elementsEqual(name.utf8) }
    }
    func ownTables(_ tables: [TableInfo]) -> [TableInfo] { tables }
    func repository(_ name: String) -> any RecordRepository { SiltstoneRepository(store: store, tableName: name) }
    func close() throws { try store.close() }
}

/// A database in which each repository is a table.
struct ServerEndpoint: MoveEndpoint {
    private static let prefix = "repository_"

    private let configuration: any DatabaseConfigurationProtocol
    private let catalogueName: (String) -> String
    private let makeRepository: (String) throws -> any RecordRepository
    let keepsCatalogue: Bool

    /// - Parameters:
    ///   - catalogueName: maps a repository's name to that of its table in the catalogue.
    ///   - keepsCatalogue: false for MariaDB, whose `information_schema` is no part of a snapshot.
    init(
        _ configuration: any DatabaseConfigurationProtocol, catalogueName: @escaping (String) -> String,
        keepsCatalogue: Bool = true, repository: @escaping (String) throws -> any RecordRepository
    ) {
        self.configuration = configuration
        self.catalogueName = catalogueName
        self.keepsCatalogue = keepsCatalogue
        makeRepository = repository
    }

    var engine: any TableEngine { configuration.engine }

    func repositoryTable(_ name: String, _ tables: [TableInfo]) -> TableInfo? {
        let name = catalogueName(name)
        return tables.first { $0.structure.name == name && Self.isRepository($0.structure) }
    }

    func hasRepository(_ name: String, _ tables: [TableInfo]) -> Bool { repositoryTable(name, tables) != nil }

    func repositoryNames(_ tables: [TableInfo]) throws -> [String] {
        try tables.filter { Self.isRepository($0.structure) }.map { table in
            if let name = name(of: table.structure.name) { return name }
            throw ToolError(
                .usage,
                "the table \(table.structure.name) holds a repository whose long name was replaced by a digest; give the "
                    + "name by --repository NAME, and name what else is to be moved by --repository and --table")
        }
    }

    func ownTables(_ tables: [TableInfo]) -> [TableInfo] { tables.filter { !Self.isRepository($0.structure) } }
    func repository(_ name: String) throws -> any RecordRepository { try makeRepository(name) }
    func close() throws { try configuration.close() }

    private static func isRepository(_ table: TableStructure) -> Bool {
        guard table.name.hasPrefix(prefix), let id = table.number(of: "id"), let item = table.number(of: "item") else {
            return false
        }
        return table.primaryKey == [id] && table.columns[id].type == .bytes && table.columns[item].type == .bytes
    }

    /// The name of a repository, from that of its table: hexadecimal digits or percent escapes. Nil if the table's name
    /// ends with a digest.
    private func name(of table: String) -> String? {
        let text = Array(table.dropFirst(Self.prefix.count).utf8)
        let candidates = [Self.unescaped(text), Self.unescaped(text, everyByte: true)]
        return candidates.lazy.compactMap { $0 }.first { catalogueName($0) == table }
    }

    private static func unescaped(_ text: [UInt8], everyByte: Bool = false) -> String? {
        var bytes: [UInt8] = []
        var place = 0
        while place < text.count {
            let isEscape = text[place] == UInt8(ascii: "%")
            guard everyByte || isEscape else {
                bytes.append(text[place])
                place += 1
                continue
            }
            let start = place + (isEscape ? 1 : 0)
            guard start + 2 <= text.count,
                let byte = UInt8(String(decoding: text[start..<start + 2], as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(byte)
            place = start + 2
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
