import Foundation

/// A value under a lock.
///
/// `Synchronization.Mutex` would do, but where threads contend for it, it waits in a library that ThreadSanitizer does
/// not see into, and is reported as a race in a program of three lines (Swift 6.3). A tool that cries wolf is of no use.
///
/// `@unchecked Sendable`: the value is touched under the lock only.
package final class Locked<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    /// Wraps a value that nobody else refers to.
    package init(_ value: sending Value) { self.value = value }

    /// Runs `body` alone with the value.
    package func withLock<R, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
