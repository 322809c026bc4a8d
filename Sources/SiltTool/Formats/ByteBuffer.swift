/// A growable buffer, reused from record to record.
///
/// `[UInt8]` lost to a noncopyable owner of raw memory: appending a few bytes at a time costs a uniqueness check, a
/// bounds check and a call each.
@safe
struct ByteBuffer: ~Copyable {
    private(set) var base: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private(set) var count = 0

    init(capacity: Int = 256) {
        self.capacity = max(capacity, 16)
        unsafe base = .allocate(byteCount: self.capacity, alignment: 16)
    }

    deinit { unsafe base.deallocate() }

    /// The appended bytes, valid until the next change.
    var bytes: Bytes { unsafe Bytes(UnsafeRawBufferPointer(start: base, count: count)) }

    mutating func removeAll() { count = 0 }

    /// Removes the first `length` bytes, which must exist.
    mutating func removeFirst(_ length: Int) {
        count -= length
        unsafe base.copyMemory(from: base + length, byteCount: count)  // memmove: the two may overlap
    }

    /// Reserves room for `more` bytes. Amortized O(1) per byte.
    @inline(__always)
    mutating func reserve(_ more: Int) {
        if more > capacity &- count { grow(more) }
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        let larger = max(count + more, capacity * 2)
        let memory = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        unsafe memory.copyMemory(from: base, byteCount: count)
        unsafe base.deallocate()
        unsafe base = unsafe memory
        capacity = larger
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    @inline(__always)
    mutating func append(_ bytes: Bytes) {
        guard let source = unsafe bytes.buffer.baseAddress, bytes.count > 0 else { return }
        reserve(bytes.count)
        unsafe (base + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    /// Reads from a descriptor with one call, and appends the bytes.
    /// - Parameters:
    ///   - minimum: the call asks for at least this many bytes.
    ///   - most: and for no more than these; nil for all the room there is.
    ///   - name: the name of the input in error messages.
    /// - Returns: the appended bytes, valid until the next change; none at the end of the input.
    mutating func read(_ descriptor: Int32, askingFor minimum: Int, most: Int? = nil, name: String) throws(SystemError)
        -> Bytes
    {
        let length = try unsafe System.read(descriptor, room(minimum, most: most), name: name)
        extend(length)
        return bytes.part((count - length)...)
    }

    /// The free room behind the appended bytes, at least `minimum` bytes. Fill it, then call ``extend(_:)``.
    /// - Parameter most: no more bytes than these; nil for all the room there is.
    mutating func room(_ minimum: Int, most: Int? = nil) -> UnsafeMutableRawBufferPointer {
        reserve(minimum)
        let free = capacity - count
        return unsafe UnsafeMutableRawBufferPointer(start: base + count, count: most.map { min($0, free) } ?? free)
    }

    /// Counts `length` bytes of ``room(_:)`` as appended.
    mutating func extend(_ length: Int) { count += length }
}
