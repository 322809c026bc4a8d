import Foundation

/// Maps identifiers to file names and back.
///
/// A short identifier is escaped to form the file's name; the file holds only the item, for everyone to read. A longer
/// identifier is hashed, and is stored in the file before the item.
enum FileName {
    /// The longest name in bytes. Common file systems allow 255, eCryptfs 143.
    static let maximumLength = 140

    private static let shortPrefix = "item_"
    private static let longPrefix = "long_"
    private static let temporaryPrefix = "temp_"

    /// A unique name for a temporary file.
    static func temporary() -> String { temporaryPrefix + UUID().uuidString }

    /// Whether a name has the form of a temporary file's.
    static func isTemporary(_ name: String) -> Bool {
        name.hasPrefix(temporaryPrefix) && UUID(uuidString: String(name.dropFirst(temporaryPrefix.count))) != nil
    }

    /// The file whose lock excludes other writers of a directory.
    static let lock = "lock"

    /// The name of an identifier's file.
    static func name(of id: String) -> String {
        let name = shortPrefix + PercentEscape.fileName.escape(id)
        return name.utf8.count <= maximumLength ? name : longPrefix + SHA256.hexadecimal(id.utf8)
    }

    /// The identifier of a file with a short name; nil for other files, also for one whose identifier has another name.
    static func id(of name: String) -> String? {
        guard name.hasPrefix(shortPrefix), name.utf8.count <= maximumLength else { return nil }
        return PercentEscape.fileName.unescape(name.dropFirst(shortPrefix.count))
    }

    /// Whether the file itself stores its identifier: the name is a prefix and a digest.
    static func isLong(_ name: String) -> Bool {
        guard name.hasPrefix(longPrefix) else { return false }
        let digest = name.utf8.dropFirst(longPrefix.utf8.count)
        return digest.count == 64 && digest.allSatisfy("0123456789abcdef".utf8.contains)
    }

    /// The bytes of an identifier's file.
    static func contents(_ record: Data, id: String, name: String) -> Data {
        guard isLong(name) else { return record }
        var contents = Data()
        for shift in stride(from: 0, to: 64, by: 8) {
            contents.append(UInt8(truncatingIfNeeded: UInt64(id.utf8.count) >> UInt64(shift)))
        }
        contents.append(contentsOf: id.utf8)
        contents.append(record)
        return contents
    }

    /// The number of bytes before the item in a file with a long name; nil if the file is damaged.
    static func headLength(ofLong contents: Data) -> Int? {
        guard contents.count >= 8 else { return nil }
        let count = contents.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return count <= UInt64(Int.max - 8) ? 8 + Int(count) : nil
    }

    /// Parses a file with a long name, or its first bytes; nil if it is damaged.
    static func parts(ofLong contents: Data) -> (id: String, record: Data)? {
        let bytes = [UInt8](contents)
        guard let end = headLength(ofLong: contents), end <= bytes.count else { return nil }
        guard let id = String(validating: bytes[8..<end], as: UTF8.self) else { return nil }
        return (id, Data(bytes[end...]))
    }
}
