/// A value with its key in a value file (`Docs/Format.md`, "Value files").
struct ValueRecord {
    /// Bytes before the key.
    static let headerSize = 24
    /// Records start at multiples of this many bytes.
    static let alignment = 8

    var key: Bytes
    var value: Bytes
    var sequence: SequenceNumber
    /// The record's checksum, which pointers to it repeat.
    var checksum: UInt32

    /// Returns the size of a record in bytes, padding included.
    static func size(key: Int, value: Int) -> Int { (headerSize + key + value + alignment - 1) & ~(alignment - 1) }

    /// Returns the lengths in a header; nil if they are impossible.
    static func lengths(_ header: Bytes) -> (key: Int, value: Int)? {
        guard let key: UInt32 = header.integer(at: 4), let stored: UInt64 = header.integer(at: 8),
            let value = UInt32(exactly: stored)
        else { return nil }
        return (Int(key), Int(value))
    }

    /// Returns the checksum of a record.
    /// - Parameters:
    ///   - header: the first 24 bytes. The first four are the checksum itself and do not count.
    static func checksum(file: UInt64, offset: Int, header: Bytes, key: Bytes, value: Bytes) -> UInt32 {
        let place = CRC32.checksum(UInt64(offset), continuing: CRC32.checksum(file, continuing: 0))
        let head = Bytes(rebasing: header[4..<headerSize])
        return CRC32.checksum(
            value, continuing: CRC32.checksum(key, continuing: CRC32.checksum(head, continuing: place)))
    }

    /// Reads a record without verifying it; nil if `bytes` is shorter than the record.
    /// - Parameter bytes: starts with the record, with or without padding.
    init?(_ bytes: Bytes) {
        guard let (keyCount, valueCount) = Self.lengths(bytes), let sequence: UInt64 = bytes.integer(at: 16),
            let checksum: UInt32 = bytes.integer(at: 0), let key = bytes.slice(Self.headerSize, keyCount),
            let value = bytes.slice(Self.headerSize + keyCount, valueCount)
        else { return nil }
        self.key = key
        self.value = value
        self.sequence = sequence
        self.checksum = checksum
    }

    /// Returns true if checksum and length match a pointer, and the key that of the pointer's record.
    func isMeant(by pointer: ValuePointer, key: Bytes) -> Bool {
        checksum == pointer.checksum && value.count == Int(pointer.length) && keysEqual(key, self.key)
    }

    /// Returns true if the checksum is correct for this file and offset.
    func isValid(_ bytes: Bytes, file: UInt64, offset: Int) -> Bool {
        Self.checksum(file: file, offset: offset, header: bytes, key: key, value: value) == checksum
    }
}
