import Foundation

extension ColumnValue {
    /// Compares two values. Returns a number below, equal to or above 0.
    ///
    /// NULL is least. Numbers of all types compare by their value: `-0.0` equals 0, every NaN equals every other and is
    /// above infinity. false is below true. Text and JSON compare by UTF-8 bytes, not by Swift's canonical equivalence;
    /// UUIDs and bytes compare by bytes. Values of different kinds compare by kind: NULL, numbers, bools, dates, UUIDs,
    /// text, bytes, JSON.
    public static func order(_ left: ColumnValue, _ right: ColumnValue) -> Int {
        switch (left, right) {
        case (.integer(let a), .integer(let b)): compare(a, b)
        case (.unsigned(let a), .unsigned(let b)): compare(a, b)
        case (.real(let a), .real(let b)): compareReals(a, b)
        case (.integer, .unsigned): -1
        case (.unsigned, .integer): 1
        case (.integer(let a), .real(let b)): -compareReal(b, exactly: a)
        case (.real(let a), .integer(let b)): compareReal(a, exactly: b)
        case (.unsigned(let a), .real(let b)): -compareReal(b, exactly: a)
        case (.real(let a), .unsigned(let b)): compareReal(a, exactly: b)
        case (.bool(let a), .bool(let b)): compare(a ? 1 : 0, b ? 1 : 0)
        case (.date(let a), .date(let b)):
            compareReals(a.timeIntervalSinceReferenceDate, b.timeIntervalSinceReferenceDate)
        case (.uuid(let a), .uuid(let b)): compareBytes(bytes(a), bytes(b))
        case (.text(let a), .text(let b)), (.json(let a), .json(let b)): compareBytes(a.utf8, b.utf8)
        case (.bytes(let a), .bytes(let b)): compareBytes(a, b)
        default: compare(left.rank, right.rank)
        }
    }

    /// True if two values are the same for conditions, keys and DISTINCT: their order is 0.
    public static func areSame(_ left: ColumnValue, _ right: ColumnValue) -> Bool { order(left, right) == 0 }

    /// True if two values have the same kind and, other than for `==`, the same bytes.
    func isIdentical(to other: ColumnValue) -> Bool { self == other && ColumnValue.areSame(self, other) }

    private var rank: Int {
        switch self {
        case .null: 0
        case .integer, .unsigned, .real: 1
        case .bool: 2
        case .date: 3
        case .uuid: 4
        case .text: 5
        case .bytes: 6
        case .json: 7
        }
    }

    private static func compare<T: Comparable>(_ a: T, _ b: T) -> Int { a < b ? -1 : a > b ? 1 : 0 }

    private static func compareReals(_ a: Double, _ b: Double) -> Int {
        if a.isNaN || b.isNaN { return compare(a.isNaN ? 1 : 0, b.isNaN ? 1 : 0) }
        return compare(a, b)
    }

    /// Compares a real with an integer, without rounding the integer.
    private static func compareReal<I: FixedWidthInteger>(_ real: Double, exactly integer: I) -> Int {
        if real.isNaN { return 1 }
        if let whole = I(exactly: real.rounded(.down)) {
            return whole == integer ? (real == real.rounded(.down) ? 0 : 1) : compare(whole, integer)
        }
        return real < 0 ? -1 : 1
    }

    private static func bytes(_ value: UUID) -> [UInt8] { unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) } }

    private static func compareBytes(_ a: some Sequence<UInt8>, _ b: some Sequence<UInt8>) -> Int {
        // A long value is compared word by word where it lies.
        let order = a.withContiguousStorageIfAvailable { a in
            b.withContiguousStorageIfAvailable { b in unsafe compareMemory(a, b) }
        }
        if let order = order ?? nil { return order }
        var other = b.makeIterator()
        for byte in a {
            guard let next = other.next() else { return 1 }
            if byte != next { return byte < next ? -1 : 1 }
        }
        return other.next() == nil ? 0 : -1
    }

    private static func compareMemory(_ a: UnsafeBufferPointer<UInt8>, _ b: UnsafeBufferPointer<UInt8>) -> Int {
        if let first = a.baseAddress, let second = b.baseAddress {
            let order = unsafe memcmp(first, second, min(a.count, b.count))
            if order != 0 { return order < 0 ? -1 : 1 }
        }
        return compare(a.count, b.count)
    }
}
