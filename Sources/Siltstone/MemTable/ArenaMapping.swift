/// An offset into an arena, in units of 8 bytes; 0 means null.
///
/// It has half the size of a pointer, so twice as many fit a cache line. 32 bits reach 32 GiB.
typealias ArenaReference = UInt32

/// The start address of an arena, from which references count. Unowned: must not outlive the arena.
@safe
struct ArenaBase: @unchecked Sendable {  // the owner decides which thread may access which bytes when
    fileprivate let start: UnsafeMutableRawPointer

    /// The address to which a reference leads.
    @inline(__always)
    subscript(reference: ArenaReference) -> UnsafeMutableRawPointer { unsafe start + (Int(reference) &<< 3) }

    /// Constructs a value at an offset in bytes. The value is never deinitialized, so its type must not need that.
    func place<Value: ~Copyable>(_ value: consuming Value, at offset: Int) -> HeapPlace<Value> {
        let address = unsafe (start + offset).bindMemory(to: Value.self, capacity: 1)
        unsafe address.initialize(to: value)
        return unsafe HeapPlace(address)
    }

    /// Sets the first `count` bytes to zero. A new arena is zero already, but a reused one is not.
    func clear(_ count: Int) { unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count) }
}

/// An anonymous memory mapping for one memtable.
///
/// The mapping reserves its address space at once and never moves. The system allocates a page at its first access. So
/// readers hold plain addresses, and a large capacity costs nothing before it is used.
///
/// `@unchecked Sendable`: it is an address and a length. The owner decides which thread may access which bytes when.
@safe
struct ArenaMapping: @unchecked Sendable {
    /// The largest capacity that references reach, in bytes.
    static let greatestCapacity = 8 << 32
    /// Capacities are rounded up to a multiple of this many bytes.
    private static let granularity = 64 << 10
    /// The size of a huge page on the common platforms, in bytes.
    private static let hugePage = 2 << 20
    /// The smallest capacity, in bytes, for which an arena requests huge pages. A small table would pay for clearing a
    /// huge page, some 100 µs, and use a small part of it.
    private static let minimumForHugePages = 16 << 20

    /// Bytes of small pages before the first huge page. Every store starts with a few changes in its table, and they
    /// need not wait until a huge page is cleared.
    ///
    /// Independent of ``granularity``; each of the two has to be a multiple of the page size.
    private static let smallPart = 64 << 10

    /// The first usable byte, aligned to a page. In an arena with huge pages it is ``smallPart`` bytes before the first
    /// one.
    let base: ArenaBase
    /// Usable bytes.
    let capacity: Int
    /// The mapped bytes. With huge pages they are more than the usable ones, for the alignment.
    private let mapping: MutableBytes

    /// Returns the capacity of an arena that is created for `capacity` bytes.
    static func roundedCapacity(_ capacity: Int) -> Int {
        let (sum, overflow) = max(capacity, 1).addingReportingOverflow(granularity - 1)
        return overflow ? .max : sum & ~(granularity - 1)
    }

    /// Maps a new arena of at least `capacity` bytes, which must be at most ``greatestCapacity``.
    /// - Throws: ``StoreError/Code/invalidArgument`` for a capacity over the limit, ``StoreError/Code/inputOutput`` if
    ///   the process has no address space left.
    init(capacity: Int) throws(StoreError) {
        let capacity = Self.roundedCapacity(capacity)
        guard capacity <= Self.greatestCapacity else {
            throw StoreError(
                .invalidArgument, "a memtable of \(capacity) bytes is over the limit of \(Self.greatestCapacity) bytes")
        }
        // One fault on a huge page replaces 512 faults on small pages and costs as much as a few hundred of them.
        // Random inserts also miss the TLB less often. A huge page needs an aligned start, which mmap(2) does not
        // promise, so the mapping is one huge page longer than needed.
        let isHuge = capacity >= Self.minimumForHugePages
        let length = isHuge ? capacity + Self.hugePage : capacity
        guard let mapping = Platform.mapAnonymous(length: length) else {
            let number = Platform.errorNumber
            throw StoreError(
                .inputOutput,
                "no address space for a memtable of \(capacity) bytes: \(Platform.describe(number)); lower "
                    + "'memTableBytes' or raise the limit of the process",
                errorNumber: number)
        }
        self.mapping = mapping
        let address = unsafe mapping.start
        base = unsafe ArenaBase(
            start: isHuge
                ? (address + Self.smallPart).alignedUp(toMultipleOf: Self.hugePage) - Self.smallPart : address)
        self.capacity = capacity
        if isHuge { unsafe Platform.advise(.hugePages, MutableBytes(start: base.start, count: capacity)) }
    }

    /// Prefaults a range of bytes, so that the first writer there does not wait while the system finds and clears the
    /// pages. A hint, ignored for a range outside of the capacity.
    func prepare(_ range: Range<Int>) {
        guard range.lowerBound >= 0, range.upperBound <= capacity, !range.isEmpty else { return }
        // Prefaults complete pages of the system's page size. A huge page comes with the first of its parts.
        let start = range.lowerBound & ~(Platform.pageSize - 1)
        let pages = unsafe MutableBytes(start: base.start + start, count: range.upperBound - start)
        Platform.advise(.populateForWriting, pages)
    }

    /// Unmaps the memory. Nobody may use any part of it afterwards.
    func unmap() {
        Platform.unmap(mapping)
    }
}
