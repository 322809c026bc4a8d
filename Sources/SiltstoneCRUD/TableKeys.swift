/// The keys of one repository's records: the repository's name, then the identifier.
///
/// A null byte of the name becomes 0x00 0xFF, and 0x00 0x01 ends the name, as in FoundationDB's tuple layer. So no
/// encoded name is a prefix of another one's, and keys are ordered by name, then by identifier. The identifier is plain
/// UTF-8, since nothing follows it.
struct TableKeys: Sendable {
    /// The common prefix of the keys.
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

    /// The first key after all keys of the repository.
    var end: [UInt8] { prefix.dropLast() + [0x02] }

    /// The key of an identifier.
    func key(_ id: String) -> [UInt8] {
        var key: [UInt8] = []
        key.reserveCapacity(prefix.count + id.utf8.count)
        key += prefix
        key += id.utf8
        return key
    }

    /// The first possible key after that of an identifier; the first key of all for nil.
    func start(after id: String?) -> [UInt8] {
        guard let id else { return prefix }
        return key(id) + [0]
    }

    /// The identifier in a key; nil if its bytes are not UTF-8.
    func id(_ key: UnsafeRawBufferPointer) -> String? {
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: key[prefix.count...])
        // Decoding repairs invalid UTF-8, which the comparison detects. What it makes is contiguous.
        let id = unsafe String(decoding: bytes, as: UTF8.self)
        let same = unsafe id.utf8.withContiguousStorageIfAvailable { unsafe $0.elementsEqual(bytes) }
        return same == true ? id : nil
    }
}
