/// The objects of a batch, in order. Each is moved out, without a copy or reference counting.
///
/// Used by one thread at a time.
@safe final class ItemQueue<T> {
    private var memory: UnsafeMutablePointer<T>
    private var capacity = 0
    /// The index of the first object.
    private var next = 0
    /// The end index of the objects.
    private var end = 0

    init() { unsafe memory = .allocate(capacity: 0) }

    deinit {
        removeAll()
        unsafe memory.deallocate()
    }

    /// Removes and returns the first object; nil if there is none.
    @inline(__always)
    func popFirst() -> T? {
        let place = next
        if place == end { return nil }
        // Not `+=`, which would add an exclusivity check.
        next = place + 1
        return unsafe (memory + place).move()
    }

    /// Destroys the remaining objects and adds new ones.
    /// - Parameters:
    ///   - count: the maximum number of new objects.
    ///   - fill: initializes memory from its start, and counts the objects. If it throws, the counted objects stay.
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
