import Foundation

/// A value under a lock.
///
/// `Synchronization.Mutex` lost: under contention it waits in a library that ThreadSanitizer does not instrument, which
/// then reports a race in a correct program of three lines (Swift 6.3).
///
/// `@unchecked Sendable`: the value is accessed under the lock only.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// Wraps a value without other references.
    package init(_ value: sending Value) { self.value = value }

    /// Runs `body` with exclusive access to the value.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
