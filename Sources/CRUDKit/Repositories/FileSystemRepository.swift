public import Foundation

/// A repository in a directory, with a file for each item.
///
/// Acknowledged items are on stable storage. An item is replaced atomically, also across a crash. Several repositories
/// of one directory, in this process and others, may be used at once: if several create one identifier, one succeeds. A
/// batch is refused as a whole if it cannot store one of its identifiers, but a crash may leave a part of it.
/// ``CRUDRepositoryError/unknownOutcome(reason:)`` says that the disk failed after the change had begun: it may not
/// survive a crash, or only a part of a batch may be done.
///
/// An item with a plain identifier is the file `item_<identifier>`, which holds only the transformer's bytes. Other
/// characters are escaped, such as a slash as `%2f`; capitals too, because some file systems ignore case. Long
/// identifiers are hashed. So every identifier has a file of its own in this directory. A process that dies while it
/// writes leaves a file `temp_<UUID>`; the first write of another repository removes it when it is a day old.
public final class FileSystemRepository: RecordRepository {
    /// The directory of the items. The first item creates it.
    public let directoryURL: URL
    /// The format of the items.
    public let dataTransformer: any DataTransformer
    private let directory: Directory
    private let writes = BlockingQueue(label: "CRUDKit.FileSystemRepository.writes")
    private static let reads = BlockingQueue(label: "CRUDKit.FileSystemRepository.reads", concurrent: true)

    /// Creates a repository in the user's documents directory.
    /// - Parameters:
    ///   - directoryName: any name. It becomes one directory in the documents; characters other than letters, digits,
    ///     spaces, `-`, `_` and `.` are escaped. Names that differ only in case are the same directory on file systems
    ///     that ignore case.
    ///   - dataTransformer: the format of the items.
    public convenience init(
        directoryName: String = "Database", dataTransformer: any DataTransformer = JSONDataTransformer()
    ) {
        // Systems without a documents directory, as for a daemon, get the usual path.
        let documents =
            FileManager.default.urls(for: .documentDirectory, in: .userDomainMask).first
            ?? URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent("Documents", isDirectory: true)
        let component = PercentEscape.directory(named: directoryName)
        self.init(
            directoryURL: documents.appendingPathComponent(component, isDirectory: true),
            dataTransformer: dataTransformer)
    }

    /// Creates a repository in a directory.
    /// - Parameters:
    ///   - directoryURL: a directory that holds nothing else, or does not exist.
    ///   - dataTransformer: the format of the items.
    public init(directoryURL: URL, dataTransformer: any DataTransformer = JSONDataTransformer()) {
        self.directoryURL = directoryURL
        self.dataTransformer = dataTransformer
        directory = Directory(path: directoryURL.standardizedFileURL.path)
    }

    private func reading<R: Sendable>(_ body: @escaping @Sendable (Directory) throws -> R) async throws -> R {
        let directory = directory
        return try await Self.reads.run { try body(directory) }
    }

    /// Runs writes one at a time: others would wait for the directory's lock, each on its own thread.
    private func writing<R: Sendable>(_ body: @escaping @Sendable (Directory) throws -> R) async throws -> R {
        let directory = directory
        return try await writes.run { try body(directory) }
    }
}

extension FileSystemRepository {
    /// The bytes under an identifier.
    public func record(id: CRUDRepository.ItemIdentifier) async throws -> Data? {
        try await reading { try $0.record(id) }
    }

    /// Whether the identifier has a file. Does not read it.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await reading { try $0.exists(id) }
    }

    /// Stores bytes under a new identifier; returns false if it exists.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try $0.write([(id, record)]) { exists in !exists } == nil }
    }

    /// Replaces the bytes under an identifier; returns false if it does not exist.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try $0.write([(id, record)]) { exists in exists } == nil }
    }

    /// Stores bytes under an identifier, new or not.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        _ = try await writing { try $0.write([(id, record)]) { _ in true } }
    }

    /// Removes an identifier and its bytes; returns false if it does not exist.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try $0.remove([id]) == nil }
    }

    /// Stores all records, or none if an identifier exists. Returns that identifier, or nil.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        try await writing { try $0.write(records) { exists in !exists } }
    }

    /// Removes all records, or none if an identifier does not exist. Returns that identifier, or nil.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        try await writing { try $0.remove(ids) }
    }

    /// All identifiers, from one listing of the directory.
    public func ids() async throws -> [CRUDRepository.ItemIdentifier] {
        try await reading { try $0.ids().page(after: nil, limit: .max) }
    }

    /// A page of identifiers.
    /// - Complexity: O(*n* log *n*) in the number of all files, for a page of any size.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await reading { try $0.ids().page(after: identifier, limit: limit) }
    }

    /// A page of identifiers and bytes, without items that are deleted meanwhile.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await reading { directory in
            var last = identifier
            let ids = try directory.ids()
            // An empty page means the end, so a page whose files are all deleted is followed by the next.
            while true {
                let page = ids.page(after: last, limit: limit)
                guard let end = page.last else { return [] }
                last = end
                let records = try page.compactMap { id in try directory.record(id).map { (id: id, record: $0) } }
                if !records.isEmpty { return records }
            }
        }
    }

    /// The number of files with items.
    public func count() async throws -> Int {
        try await reading { try $0.ids().count }
    }
}
