import CInstructions

/// Tells the thread sanitizer what it cannot see by itself. Off the hot paths: outside of its runs each call is a load and
/// a branch.
///
/// The sanitizer knows locks, atomics and the C library's calls. It does not know memory fences, membarrier(2), and the
/// counts of references, which the Swift runtime keeps in code that is not instrumented.
enum ThreadSanitizer {
    /// Whether it watches this process.
    static var isOn: Bool { siltstone_is_thread_sanitized() }

    /// Says that what this thread has done until now comes before what others do after ``orderAfter(_:)`` for the address.
    static func orderBefore(_ address: UnsafeRawPointer) { siltstone_order_before(address) }

    /// Says that this thread comes after all that have called ``orderBefore(_:)`` for the address.
    static func orderAfter(_ address: UnsafeRawPointer) { siltstone_order_after(address) }
}
