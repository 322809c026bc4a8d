public import Siltstone

extension SiltstoneRepository {
    /// The names of the repositories that have records in a store, ordered by their bytes.
    ///
    /// A key written by a program directly counts as a record if it has the form of one.
    /// - Complexity: O(*names* · log *n* + *keys that are no records*). Skips tables.
    /// - Throws: `StoreError` if the store cannot be read.
    public static func tableNames(in store: KeyValueStore) throws -> [String] {
        var names: [String] = []
        var start: [UInt8] = []
        // The keys of tables start with this byte, which never occurs in UTF-8.
        let tables: UInt8 = 0xfe
        while true {
            var next: [UInt8]?
            try store.forEachKey(from: start) { key in
                if key.byteCount > 0, unsafe key.unsafeLoad(as: UInt8.self) == tables {
                    next = [tables + 1]
                } else if let name = unsafe key.withUnsafeBytes({ unsafe TableKeys.tableName(of: $0) }) {
                    names.append(name)
                    next = TableKeys(tableName: name).end
                }
                return next == nil
            }
            guard let next else { return names }
            start = next
        }
    }
}

extension TableKeys {
    /// The name of the repository that owns a key; nil if the key has another form.
    static func tableName(of key: UnsafeRawBufferPointer) -> String? {
        var name: [UInt8] = []
        var place = 0
        while place + 1 < key.count {
            let byte = unsafe key[place]
            if byte != 0 {
                name.append(byte)
                place += 1
                continue
            }
            switch unsafe key[place + 1] {
            case 0x01: return String(validating: name, as: UTF8.self)
            case 0xff: name.append(0)
            default: return nil
            }
            place += 2
        }
        return nil
    }
}
