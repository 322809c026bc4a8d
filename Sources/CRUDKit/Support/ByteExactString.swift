/// A string that is compared, hashed and ordered by its UTF-8 bytes.
///
/// `String` equates canonically equivalent text: "é" as one scalar and as two is one dictionary key. Identifiers must
/// not be merged like that.
package struct ByteExactString: Hashable, Comparable, Sendable {
    /// The string.
    package let string: String

    /// Wraps a string. Copies it if its storage is not contiguous UTF-8.
    @inline(__always)
    package init(_ string: String) {
        var string = string
        string.makeContiguousUTF8()
        self.string = string
    }

    /// Compares the bytes.
    @inline(__always)
    package static func == (left: ByteExactString, right: ByteExactString) -> Bool {
        haveSameUTF8(left.string, right.string)
    }

    /// Orders by the bytes, as unsigned numbers.
    package static func < (left: ByteExactString, right: ByteExactString) -> Bool {
        left.string.utf8.lexicographicallyPrecedes(right.string.utf8)
    }

    /// Hashes the bytes.
    package func hash(into hasher: inout Hasher) {
        unsafe string.utf8.withContiguousStorageIfAvailable {
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
    }
}

/// Whether two strings have the same UTF-8 bytes.
@inline(__always)
func haveSameUTF8(_ left: String, _ right: String) -> Bool {
    let (a, b) = (left.utf8, right.utf8)
    guard a.count == b.count else { return false }
    let same: Bool?? = unsafe a.withContiguousStorageIfAvailable { x in
        unsafe b.withContiguousStorageIfAvailable { y in unsafe x.elementsEqual(y) }
    }
    return (same ?? nil) ?? a.elementsEqual(b)
}

extension [String] {
    /// The strings after `last`, ordered by their UTF-8 bytes, at most `limit` of them. (`String` itself orders by its
    /// normal form.)
    /// - Complexity: O(*n* log *n*).
    func page(after last: String?, limit: Int) -> [String] {
        let rest = if let last { filter { last.utf8.lexicographicallyPrecedes($0.utf8) } } else { self }
        return Array(rest.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.prefix(Swift.max(0, limit)))
    }
}
