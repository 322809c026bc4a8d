import Foundation

/// A message whose structure has been checked: every length lies inside it, every container ends, every key exists.
/// Later reads need no such checks.
///
/// Raw memory lost to an array: the array costs a comparison for each byte, but a mistake in this file traps instead of
/// leaking other memory.
final class CompactInput {
    let bytes: [UInt8]
    let userInfo: [CodingUserInfoKey: any Sendable]
    /// The offset of the value.
    let body: Int
    private let keys: [Range<Int>]
    /// The keys as strings, each made when first requested. Entries share them: a long key is not copied for each.
    private var strings: [String?] = []

    /// Parses a message and checks its structure.
    /// - Throws: `DecodingError.dataCorrupted`.
    /// - Complexity: O(*n*) time and memory in the size of the message, whatever lengths it states.
    init(_ data: Data, userInfo: [CodingUserInfoKey: any Sendable]) throws {
        self.userInfo = userInfo
        bytes = unsafe data.withUnsafeBytes { unsafe Array($0) }
        guard let version = bytes.first else { throw Self.damaged("There are no bytes.") }
        guard version == CompactFormat.version else {
            throw Self.damaged("The bytes are not in the compact encoding, or in a later version of it.")
        }
        var reader = Reader(bytes: bytes, offset: 1)
        keys = try reader.keys()
        body = reader.offset
        let end = try reader.skip(keys: keys.count)
        guard end == bytes.count else { throw Self.damaged("Bytes follow the value.") }
    }

    private static func damaged(_ problem: String) -> DecodingError {
        .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: problem))
    }

    // MARK: Keys

    /// Whether a key of the table equals the given one.
    @inline(__always)
    func key(_ number: Int, is key: String) -> Bool { text(keys[number], is: key) }

    @inline(__always)
    private func text(_ range: Range<Int>, is string: String) -> Bool {
        let utf8 = string.utf8
        guard utf8.count == range.count else { return false }
        let same: Bool? = unsafe utf8.withContiguousStorageIfAvailable {
            unsafe holds(UnsafeRawBufferPointer($0), at: range.lowerBound)
        }
        return same ?? utf8.elementsEqual(bytes[range])
    }

    /// Whether the bytes at `offset` equal the given ones. The caller has checked the length.
    @inline(__always)
    private func holds(_ other: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        guard let address = other.baseAddress else { return true }
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            return unsafe memcmp(base + offset, address, other.count) == 0
        }
    }

    /// Whether a key of the table is UTF-8. Others match no requested key.
    func isText(_ number: Int) -> Bool { text(keys[number], is: key(number)) }

    /// A key of the table. Invalid UTF-8 is repaired.
    func key(_ number: Int) -> String {
        if strings.isEmpty { strings = Array(repeating: nil, count: keys.count) }
        if let known = strings[number] { return known }
        let made = String(decoding: bytes[keys[number]], as: UTF8.self)
        strings[number] = made
        return made
    }

    // MARK: Values

    /// Reads the varint at `offset` and advances it.
    @inline(__always)
    func varint(at offset: inout Int) -> UInt64 {
        let byte = bytes[offset]
        offset &+= 1
        return byte < 0x80 ? UInt64(byte) : longVarint(UInt64(byte), at: &offset)
    }

    private func longVarint(_ first: UInt64, at offset: inout Int) -> UInt64 {
        var value = first & 0x7f
        var shift: UInt64 = 7
        while true {
            let byte = bytes[offset]
            offset &+= 1
            value |= UInt64(byte & 0x7f) &<< shift
            if byte < 0x80 { return value }
            shift &+= 7
        }
    }

    /// Reads the little-endian integer at `offset` and advances it.
    @inline(__always)
    func integer<T: FixedWidthInteger & BitwiseCopyable>(_ type: T.Type, at offset: inout Int) -> T {
        let size = MemoryLayout<T>.size
        let range = offset..<offset &+ size
        offset &+= size
        return unsafe bytes[range].withUnsafeBytes { T(littleEndian: unsafe $0.loadUnaligned(as: T.self)) }
    }

    /// The range of the bytes behind the tag and length at `offset`, which advances behind them. The tag must be that
    /// of a string or of bytes.
    @inline(__always)
    func counted(at offset: inout Int) -> Range<Int> {
        let tag = bytes[offset]
        offset &+= 1
        let count =
            tag <= CompactTag.lastShortString
            ? Int(tag &- CompactTag.firstShortString) : Int(truncatingIfNeeded: varint(at: &offset))
        let start = offset
        offset &+= count
        return start..<offset
    }

    /// Reads the string whose tag is at `offset` and advances it; nil if its bytes are not UTF-8.
    @inline(__always)
    func string(at offset: inout Int) -> String? {
        let range = counted(at: &offset)
        let string = unsafe bytes.withUnsafeBytes { unsafe String(decoding: $0[range], as: UTF8.self) }
        // Decoding repairs invalid UTF-8, which the comparison detects. The validating initializer lost: the standard
        // library does not specialize it, and it takes five times as long.
        return text(range, is: string) ? string : nil
    }

    /// The offset behind the value at `offset`.
    func end(of offset: Int) -> Int {
        var reader = Reader(bytes: bytes, offset: offset)
        // A checked message cannot fail. If it did, the end of the message would end every loop.
        do { return try reader.skip(keys: keys.count) } catch { return bytes.count }
    }
}

extension CompactInput {
    /// Parses untrusted bytes.
    private struct Reader {
        let bytes: [UInt8]
        var offset: Int

        mutating func byte() throws -> UInt8 {
            guard offset < bytes.count else { throw damaged("The bytes end early.") }
            defer { offset &+= 1 }
            return bytes[offset]
        }

        mutating func varint() throws -> UInt64 {
            var value: UInt64 = 0
            var shift: UInt64 = 0
            while true {
                let byte = try byte()
                let part = UInt64(byte & 0x7f)
                guard shift < 64, (part &<< shift) &>> shift == part else {
                    throw damaged("A number is longer than 64 bits.")
                }
                value |= part &<< shift
                if byte < 0x80 { return value }
                shift &+= 7
            }
        }

        mutating func pass(_ count: UInt64) throws {
            guard count <= UInt64(bytes.count &- offset) else { throw damaged("The bytes end early.") }
            offset &+= Int(truncatingIfNeeded: count)
        }

        /// Parses the table of keys. Its memory grows with the bytes present, not with the stated count.
        mutating func keys() throws -> [Range<Int>] {
            let count = try varint()
            var keys: [Range<Int>] = []
            if count <= 64 { keys.reserveCapacity(Int(truncatingIfNeeded: count)) }
            var left = count
            while left > 0 {
                let length = try varint()
                let start = offset
                try pass(length)
                keys.append(start..<offset)
                left &-= 1
            }
            return keys
        }

        /// Skips one value.
        /// - Parameters:
        ///   - keys: the number of keys in the table.
        ///   - depth: the number of containers around the value.
        /// - Returns: the offset behind the value.
        @discardableResult
        mutating func skip(keys: Int, depth: Int = 0) throws -> Int {
            let tag = try byte()
            switch tag {
            case ...CompactTag.lastSmallInteger, CompactTag.null, CompactTag.false, CompactTag.true: break
            case CompactTag.firstShortString...CompactTag.lastShortString:
                try pass(UInt64(tag &- CompactTag.firstShortString))
            case CompactTag.string, CompactTag.bytes: try pass(try varint())
            case CompactTag.unsigned, CompactTag.negative: _ = try varint()
            case CompactTag.float: try pass(4)
            case CompactTag.double: try pass(8)
            case CompactTag.unsigned128, CompactTag.signed128, CompactTag.uuid: try pass(16)
            case CompactTag.map, CompactTag.mapWithRepetition: try skipMap(keys: keys, depth: depth)
            case CompactTag.array: try skipArray(keys: keys, depth: depth)
            default: throw damaged("There is no value of kind \(tag).")
            }
            return offset
        }

        private mutating func skipMap(keys: Int, depth: Int) throws {
            guard depth <= CompactFormat.maximumDepth else { throw damaged("Values are nested too deep.") }
            while true {
                let number = try varint()
                if number == 0 { return }
                guard number <= UInt64(keys) else { throw damaged("There is no key \(number).") }
                try skip(keys: keys, depth: depth + 1)
            }
        }

        private mutating func skipArray(keys: Int, depth: Int) throws {
            guard depth <= CompactFormat.maximumDepth else { throw damaged("Values are nested too deep.") }
            while offset < bytes.count, bytes[offset] != CompactTag.end { try skip(keys: keys, depth: depth + 1) }
            _ = try byte()
        }

        private func damaged(_ problem: String) -> DecodingError {
            CompactInput.damaged("\(problem) (Byte \(offset) of \(bytes.count).)")
        }
    }
}
