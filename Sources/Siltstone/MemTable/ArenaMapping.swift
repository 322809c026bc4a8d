/// The address of something in an arena: its offset in units of eight bytes; 0 is none.
///
/// Half the size of a pointer, so that twice as many fit a cache line; 32 bits reach 32 GiB.
typealias ArenaReference = UInt32

/// What references count from, for whoever knows that the arena lives.
@safe
struct ArenaBase: @unchecked Sendable {  // who may touch which bytes when is the business of the owner
    fileprivate let start: UnsafeMutableRawPointer

    @inline(__always)
    subscript(reference: ArenaReference) -> UnsafeMutableRawPointer { unsafe start + (Int(reference) &<< 3) }

    /// Puts a value, which needs no end, at an offset in bytes.
    func place<Value: ~Copyable>(_ value: consuming Value, at offset: Int) -> ArenaCell<Value> {
        let address = unsafe (start + offset).bindMemory(to: Value.self, capacity: 1)
        unsafe address.initialize(to: value)
        return unsafe ArenaCell(address)
    }

    /// Sets the first bytes to zero.
    func clear(_ count: Int) { unsafe start.initializeMemory(as: UInt8.self, repeating: 0, count: count) }
}

/// A value in an arena, for whoever knows that the arena lives.
@safe
struct ArenaCell<Value: ~Copyable>: @unchecked Sendable {  // as for ``ArenaBase``
    private let address: UnsafeMutablePointer<Value>

    fileprivate init(_ address: UnsafeMutablePointer<Value>) { unsafe self.address = unsafe address }

    @inline(__always)
    var value: Value {
        unsafeAddress { unsafe UnsafePointer(address) }
        nonmutating unsafeMutableAddress { unsafe address }
    }
}

/// A stretch of anonymous memory for one memtable.
///
/// The address space is taken at once and never moves; memory stands behind it only where it was touched. So readers
/// hold plain addresses, and a large capacity costs nothing before it is used.
///
/// `@unchecked Sendable`: it is an address and a length; who may touch which bytes when is the business of the owner.
@safe
struct ArenaMapping: @unchecked Sendable {
    /// The greatest capacity that references reach, in bytes.
    static let greatestCapacity = 8 << 32
    /// What capacities are rounded up to, in bytes.
    private static let granularity = 64 << 10
    /// The size of a huge page on the common platforms.
    private static let hugePage = 2 << 20
    /// From which capacity on an arena asks for huge pages: a small table would pay for the clearing of one, some 100 µs,
    /// and use a corner of it.
    private static let leastForHugePages = 16 << 20

    /// What lies before the first huge page, in bytes: a table with a few changes, as every store has at first, does not
    /// wait for the clearing of one.
    private static let smallPart = 64 << 10

    /// The first usable byte, aligned to a page; where the arena holds huge pages, ``smallPart`` before one.
    let base: ArenaBase
    /// Usable bytes.
    let capacity: Int
    /// What was mapped: more than is used, for the alignment.
    private let mapping: MutableBytes

    /// The capacity that an arena asked for with `capacity` bytes has.
    static func roundedCapacity(_ capacity: Int) -> Int {
        let (sum, overflow) = max(capacity, 1).addingReportingOverflow(granularity - 1)
        return overflow ? .max : sum & ~(granularity - 1)
    }

    /// Maps a new arena of at least `capacity` bytes, which must be at most ``greatestCapacity``.
    /// - Throws: ``StoreError/Code/invalidArgument`` for a capacity over the limit, ``StoreError/Code/inputOutput``
    ///   where the process has no address space left.
    init(capacity: Int) throws(StoreError) {
        let capacity = Self.roundedCapacity(capacity)
        guard capacity <= Self.greatestCapacity else {
            throw StoreError(
                .invalidArgument, "a memtable of \(capacity) bytes is over the limit of \(Self.greatestCapacity) bytes")
        }
        // A fault on a huge page costs as much as a few hundred, not 512, on small ones, and random inserts miss the
        // TLB less. That needs an aligned start, which mmap(2) does not promise.
        let isHuge = capacity >= Self.leastForHugePages
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
        if isHuge { unsafe Platform.adviseHugePages(base.start, length: capacity) }
    }

    /// Has memory put behind a part, so that whoever writes there first does not wait for it to be found and cleared. A
    /// hint.
    func prepare(_ range: Range<Int>) {
        guard range.lowerBound >= 0, range.upperBound <= capacity, !range.isEmpty else { return }
        // Whole pages, of the size that the system runs on; those of huge pages come with the first of their parts.
        let page = Platform.pageSize
        let start = range.lowerBound & ~(page - 1)
        unsafe Platform.populateForWriting(base.start + start, length: range.upperBound - start)
    }

    /// Gives the memory back to the system. Nothing in it may be used any more.
    func unmap() {
        Platform.unmap(mapping)
    }
}
