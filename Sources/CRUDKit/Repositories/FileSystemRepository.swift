public import Foundation

/// A repository in a directory, with a file for each item.
///
/// What was acknowledged is on stable storage. An item is replaced as a whole, also across a crash. Repositories of the
/// same directory, in this process and in others, may be used at once: of several that create one identifier, one
/// succeeds. A batch is refused as a whole, if one of its identifiers does not allow it; a crash amid it may leave a
/// part of it.
///
/// An item with a plain identifier is the file `item_<identifier>`, and holds nothing but what the transformer made of
/// it. Other characters are escaped (`%2f` for a slash, and capitals too, as a file system may not tell them from small
/// letters), and long identifiers hashed, so that any identifier has a file of its own, in this directory.
public final class FileSystemRepository: RecordRepository {
    /// The directory of the items. Made when the first is stored.
    public let directoryURL: URL
    /// What turns items into bytes and back.
    public let dataTransformer: any DataTransformer
    private let directory: Directory
    private let writes = BlockingQueue(label: "CRUDKit.FileSystemRepository.writes")
    private static let reads = BlockingQueue(label: "CRUDKit.FileSystemRepository.reads", concurrent: true)

    /// Creates a repository in the user's documents.
    /// - Parameters:
    ///   - directoryName: the directory's name. Whatever it is, it becomes one directory in the documents, with
    ///     characters other than letters, digits, spaces, `-`, `_` and `.` escaped. Where the file system does not tell
    ///     capitals from small letters, nor do the names of directories.
    ///   - dataTransformer: the format of the items.
    public convenience init(
        directoryName: String = "Database", dataTransformer: any DataTransformer = JSONDataTransformer()
    ) {
        // Where the system knows no documents, as for a daemon, they are where they would be.
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
    ///   - directoryURL: the directory, which may be missing; one that holds nothing else.
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

    /// One at a time: the others would only wait for the lock of the directory, each on a thread of its own.
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

    /// Whether there is a file for the identifier; it is not read.
    public func exists(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await reading { try $0.exists(id) }
    }

    /// Stores bytes under a new identifier.
    public func insertRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try $0.write([(id, record)]) { exists in !exists } == nil }
    }

    /// Replaces the bytes under an identifier.
    public func replaceRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try $0.write([(id, record)]) { exists in exists } == nil }
    }

    /// Stores bytes under an identifier.
    public func putRecord(_ record: Data, id: CRUDRepository.ItemIdentifier) async throws {
        _ = try await writing { try $0.write([(id, record)]) { _ in true } }
    }

    /// Removes the bytes under an identifier.
    public func removeRecord(id: CRUDRepository.ItemIdentifier) async throws -> Bool {
        try await writing { try $0.remove([id]) == nil }
    }

    /// Stores all of several records, or none where an identifier is in use.
    public func insertRecords(
        _ records: [(id: CRUDRepository.ItemIdentifier, record: Data)]
    ) async throws -> CRUDRepository.ItemIdentifier? {
        try await writing { try $0.write(records) { exists in !exists } }
    }

    /// Removes all of several records, or none where an identifier is not in use.
    public func removeRecords(ids: [CRUDRepository.ItemIdentifier]) async throws -> CRUDRepository.ItemIdentifier? {
        try await writing { try $0.remove(ids) }
    }

    /// One page of identifiers.
    /// - Complexity: O(*n* log *n*) in the number of all files, however short the page.
    public func ids(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [CRUDRepository.ItemIdentifier] {
        try await reading { try $0.ids().page(after: identifier, limit: limit) }
    }

    /// One page of identifiers and bytes, without items that are deleted meanwhile.
    public func records(
        after identifier: CRUDRepository.ItemIdentifier?, limit: Int
    ) async throws -> [(id: CRUDRepository.ItemIdentifier, record: Data)] {
        try await reading { directory in
            var last = identifier
            let ids = try directory.ids()
            // An empty page would say that there are no more: one whose files are all gone is followed by the next.
            while true {
                let page = ids.page(after: last, limit: limit)
                guard let end = page.last else { return [] }
                last = end
                let records = try page.compactMap { id in try directory.record(id).map { (id: id, record: $0) } }
                if !records.isEmpty { return records }
            }
        }
    }

    /// How many files there are.
    public func count() async throws -> Int {
        try await reading { try $0.ids().count }
    }
}
