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

    /// A unique name for a temporary file.
    static func temporary() -> String { "temp_\(UUID().uuidString)" }

    /// The file whose lock excludes other writers of a directory.
    static let lock = "lock"

    /// The name of an identifier's file.
    static func name(of id: String) -> String {
        let name = shortPrefix + PercentEscape.fileName.escape(id)
        return name.utf8.count <= maximumLength ? name : longPrefix + SHA256.hexadecimal(id.utf8)
    }

    /// The identifier of a file with a short name; nil for other files.
    static func id(of name: String) -> String? {
        guard name.hasPrefix(shortPrefix) else { return nil }
        return PercentEscape.fileName.unescape(name.dropFirst(shortPrefix.count))
    }

    /// Whether the file itself stores its identifier.
    static func isLong(_ name: String) -> Bool { name.hasPrefix(longPrefix) }

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

    /// Parses a file with a long name; nil if it is damaged.
    static func parts(ofLong contents: Data) -> (id: String, record: Data)? {
        let bytes = [UInt8](contents)
        guard bytes.count >= 8 else { return nil }
        let count = bytes[..<8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard count <= UInt64(bytes.count - 8) else { return nil }
        let end = 8 + Int(count)
        guard let id = String(validating: bytes[8..<end], as: UTF8.self) else { return nil }
        return (id, Data(bytes[end...]))
    }
}
