/// What a point read finds where it looks first: a value, that there is none, or that this takes a longer look. Two
/// words, which functions return in registers.
@safe
struct QuickFind {
    /// Where the value is; nil where none was found.
    private let address: UnsafeRawPointer?
    /// The value's bytes; without an address, which of the other answers this is.
    private let count: Int

    /// Whether a value was found.
    @inline(__always)
    var hasValue: Bool { unsafe address != nil }

    /// The value; nil where none was found.
    @inline(__always)
    var value: Bytes? { unsafe address.map { unsafe Bytes(start: $0, count: count) } }

    @inline(__always)
    private init(address: UnsafeRawPointer?, count: Int) {
        unsafe self.address = unsafe address
        self.count = count
    }

    /// A value.
    @inline(__always)
    init(_ value: Bytes) { unsafe self.init(address: value.start, count: value.count) }

    /// The key has no value, whatever is behind the place that says so.
    @inline(__always)
    static var removed: QuickFind { unsafe QuickFind(address: nil, count: 0) }

    /// The key is not here.
    @inline(__always)
    static var absent: QuickFind { unsafe QuickFind(address: nil, count: -1) }

    /// Only a longer look will tell.
    @inline(__always)
    static var unclear: QuickFind { unsafe QuickFind(address: nil, count: -2) }

    @inline(__always)
    var isAbsent: Bool { count == -1 }

    @inline(__always)
    var isUnclear: Bool { count == -2 }

    /// What a record says.
    @inline(__always)
    init(_ record: FoundRecord) {
        if record.isKind(.value) {
            self.init(record.value)
        } else if record.isKind(.tombstone) {
            self = .removed
        } else {
            self = record.exists ? .unclear : .absent
        }
    }
}
