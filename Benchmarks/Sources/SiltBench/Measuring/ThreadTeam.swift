import Foundation
import Synchronization

/// Runs a workload on threads that start at the same moment.
enum ThreadTeam {
    /// Runs `body` on `count` threads; on the caller's own where that is one.
    /// - Parameter body: prepares, passes the gate once, works, and returns what it measured.
    /// - Throws: an error of any thread.
    static func run(
        _ count: Int, _ body: @escaping @Sendable (_ thread: Int, _ gate: StartingGate) throws -> ThreadRecord
    ) throws -> Course {
        let before = ProcessUsage.now()
        let records = try count == 1 ? [body(0, StartingGate(1))] : fork(count, body)
        return Course(records: records, before: before, after: .now())
    }

    private static func fork(
        _ count: Int, _ body: @escaping @Sendable (_ thread: Int, _ gate: StartingGate) throws -> ThreadRecord
    ) throws -> [ThreadRecord] {
        let gate = StartingGate(count)
        let box = ResultBox(count)
        let group = DispatchGroup()
        for number in 0..<count {
            group.enter()
            let thread = Thread {
                let result = Result { try body(number, gate) }
                // One that failed on its way to the gate must not keep the others there.
                if case .failure = result { gate.open() }
                box.put(result, of: number)
                group.leave()
            }
            thread.stackSize = 4 << 20
            thread.start()
        }
        group.wait()
        return try box.all()
    }

    /// Collects what threads return.
    private final class ResultBox: Sendable {
        private let results: Mutex<[Result<ThreadRecord, any Error>?]>

        init(_ count: Int) { results = Mutex(Array(repeating: nil, count: count)) }

        func put(_ result: Result<ThreadRecord, any Error>, of thread: Int) {
            results.withLock { $0[thread] = result }
        }

        func all() throws -> [ThreadRecord] { try results.withLock { $0 }.compactMap { try $0?.get() } }
    }
}

/// Holds threads until all are there.
final class StartingGate: Sendable {
    private let missing: Atomic<Int>
    private let semaphore = DispatchSemaphore(value: 0)
    private let count: Int

    init(_ count: Int) {
        self.count = count
        missing = Atomic(count)
    }

    /// Waits for the others.
    func pass() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
            open()
        } else {
            semaphore.wait()
        }
    }

    /// Lets everybody through.
    func open() { for _ in 0..<count { semaphore.signal() } }
}
