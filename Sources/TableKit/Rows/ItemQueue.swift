/// The objects of a batch, handed out one after the other without a copy: each is moved out, and no reference is counted.
///
/// Used by one thread at a time.
@safe final class ItemQueue<T> {
    private var memory: UnsafeMutablePointer<T>
    private var capacity = 0
    /// The objects that are there lie from here…
    private var next = 0
    /// …up to here.
    private var end = 0

    init() { unsafe memory = .allocate(capacity: 0) }

    deinit {
        removeAll()
        unsafe memory.deallocate()
    }

    /// Takes the first object out; nil where there is none.
    @inline(__always)
    func popFirst() -> T? {
        let place = next
        if place == end { return nil }
        // Not `+=`, which would check for exclusive access.
        next = place + 1
        return unsafe (memory + place).move()
    }

    /// Drops what is there, and takes new objects.
    /// - Parameters:
    ///   - count: how many there may be.
    ///   - fill: initializes memory from its start, and counts; what it has counted before it throws is there.
    func refill(_ count: Int, _ fill: (UnsafeMutableBufferPointer<T>, inout Int) throws -> Void) rethrows {
        removeAll()
        if count > capacity {
            unsafe memory.deallocate()
            unsafe memory = .allocate(capacity: count)
            capacity = count
        }
        var made = 0
        defer { end = made }
        try unsafe fill(UnsafeMutableBufferPointer(start: memory, count: count), &made)
    }

    private func removeAll() {
        unsafe (memory + next).deinitialize(count: end - next)
        next = 0
        end = 0
    }
}
