import Foundation

/// Starts threads with names, for debuggers and lists of processes.
package enum NamedThread {
    /// Runs `body` on a new thread.
    /// - Parameter name: 15 bytes at most, the limit of Linux.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) {
        // On Linux, a thread sets its name through a handle that its starter stores, perhaps after the thread has begun.
        // Without the handle the name is lost. So the thread waits until its starter has returned.
        let isStarted = NSLock()
        isStarted.lock()
        defer { isStarted.unlock() }
        Thread.detachNewThread {
            isStarted.withLock {}
            Thread.current.name = name
            body()
        }
    }
}
