import Foundation

/// A value that is reached under a lock only.
///
/// `NSLock` rather than `Mutex`: the thread sanitizer knows the one on every platform.
///
/// `@unchecked Sendable`: the value is touched under the lock alone.
final class Guarded<Value: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs `body` on the value, under the lock. Not to be called again from within.
    func withLock<R>(_ body: (inout Value) -> R) -> R {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}
