/// The keys of one table's records: the table's name, then the identifier.
///
/// A null byte of the name becomes 0x00 0xFF, and 0x00 0x01 ends it: no name is the beginning of another's encoding,
/// whatever bytes it holds, and the order of keys is the order of names, then that of identifiers. (FoundationDB's tuple
/// layer escapes strings in this way.) The identifier is its UTF-8 as it is, since nothing follows it.
struct TableKeys: Sendable {
    /// What all keys of the table begin with.
    let prefix: [UInt8]

    init(tableName: String) {
        var prefix: [UInt8] = []
        prefix.reserveCapacity(tableName.utf8.count + 2)
        for byte in tableName.utf8 {
            prefix.append(byte)
            if byte == 0 { prefix.append(0xff) }
        }
        self.prefix = prefix + [0x00, 0x01]
    }

    /// The first key after all keys of the table.
    var end: [UInt8] { prefix.dropLast() + [0x02] }

    /// The key of an identifier.
    func key(_ id: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(prefix.count + id.utf8.count)
        key += prefix
        key += id.utf8
        return key
    }

    /// The first key that may follow the key of an identifier; the table's first without one.
    func start(after id: String?) -> [UInt8] {
        guard let id else { return prefix }
        return key(id) + [0]
    }

    /// The identifier of a key of the table.
    func id(_ key: UnsafeRawBufferPointer) -> String {
        unsafe String(decoding: key[prefix.count...], as: UTF8.self)
    }
}
