/// The result of the fast part of a point read: a value, no value, or unclear, which requires a full lookup. It has two
/// words, which functions return in registers.
@safe
struct QuickFind {
    /// Address of the value; nil if none was found.
    private let address: UnsafeRawPointer?
    /// The value's size in bytes. Without an address, it encodes which of the other results this is.
    private let count: Int

    /// True if a value was found.
    @inline(__always)
    var hasValue: Bool { unsafe address != nil }

    /// The value; nil if none was found.
    @inline(__always)
    var value: Bytes? { unsafe address.map { unsafe Bytes(start: $0, count: count) } }

    @inline(__always)
    private init(address: UnsafeRawPointer?, count: Int) {
        unsafe self.address = unsafe address
        self.count = count
    }

    /// Creates the result for a value.
    @inline(__always)
    init(_ value: Bytes) { unsafe self.init(address: value.start, count: value.count) }

    /// The key was deleted, whatever older versions exist.
    @inline(__always)
    static var removed: QuickFind { unsafe QuickFind(address: nil, count: 0) }

    /// The key is not here.
    @inline(__always)
    static var absent: QuickFind { unsafe QuickFind(address: nil, count: -1) }

    /// Only a full lookup can tell.
    @inline(__always)
    static var unclear: QuickFind { unsafe QuickFind(address: nil, count: -2) }

    @inline(__always)
    var isAbsent: Bool { count == -1 }

    @inline(__always)
    var isUnclear: Bool { count == -2 }

    /// Creates the result for a record. A pointer to a value file is unclear, because its value must be read.
    @inline(__always)
    init(_ record: FoundRecord) {
        if record.isKind(.value) {
            self.init(record.value)
        } else if record.isKind(.tombstone) {
            self = .removed
        } else {
            self = record.isFound ? .unclear : .absent
        }
    }
}
