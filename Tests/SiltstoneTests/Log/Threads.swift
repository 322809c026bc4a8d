import Dispatch
import Foundation
import Synchronization

/// A number that threads may count up.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    /// The number before it is counted up.
    func next() -> Int { number.add(1, ordering: .sequentiallyConsistent).oldValue }
}

extension Thread {
    /// Runs `body` on a thread of its own, as a member of `group`.
    static func detachNewThread(in group: DispatchGroup, _ body: @escaping @Sendable () -> Void) {
        group.enter()
        detachNewThread {
            body()
            group.leave()
        }
    }
}
