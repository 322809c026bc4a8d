import Foundation

/// A directory of records: the blocking file operations of ``FileSystemRepository``.
///
/// A record is written to a temporary file, synced, and then renamed. Readers see the old record or the new one, also
/// after a crash. Writers check and rename under a lock of the directory, which excludes other processes and other
/// repositories of this one.
struct Directory: Sendable {
    let path: String
    /// Whether this value has made the directory's own name durable.
    let isPrepared = Locked(false)

    init(path: String) { self.path = path }

    func path(_ name: String) -> String { "\(path)/\(name)" }

    // MARK: Reading

    /// The record of an identifier; nil if there is none.
    func record(_ id: String) throws -> Data? {
        let name = FileName.name(of: id)
        guard let contents = try SystemCalls.read(path(name)) else { return nil }
        guard FileName.isLong(name) else { return contents }
        guard let parts = FileName.parts(ofLong: contents), haveSameUTF8(parts.id, id) else { throw damage(name) }
        return parts.record
    }

    /// Whether a record exists.
    func exists(_ id: String) throws -> Bool { try SystemCalls.exists(path(FileName.name(of: id))) }

    /// All identifiers, in no order.
    func ids() throws -> [String] {
        try SystemCalls.entries(path).compactMap { name in
            if let id = FileName.id(of: name) { return id }
            return FileName.isLong(name) ? try id(inLong: name) : nil
        }
    }

    /// The identifier that a file with a long name stores; nil if the file is gone. Does not read the item.
    private func id(inLong name: String) throws -> String? {
        // Enough for nearly all identifiers.
        var limit = 4096
        while true {
            guard let head = try SystemCalls.read(path(name), limit: limit) else { return nil }
            if head.count == limit, let length = FileName.headLength(ofLong: head), length > limit {
                limit = length
                continue
            }
            guard let id = FileName.parts(ofLong: head)?.id, FileName.name(of: id) == name else { throw damage(name) }
            return id
        }
    }

    private func damage(_ name: String) -> CRUDRepositoryError {
        .databaseError(reason: "The file \(path(name)) is damaged.")
    }
}
