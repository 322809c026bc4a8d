import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// The turn of those who meet conflicts again and again: one at a time, in order, and nobody waits for ever.
struct RetryTurnTests {
    @Test(
        "threads and tasks have the turn one at a time, and it is free when the last one has handed it on",
        .comesToAnEnd)
    func oneAtATime() async {
        let turn = RetryTurn()
        let inside = Locked((now: 0, most: 0, turns: 0))
        @Sendable func enter() {
            inside.withLock { inside in
                inside.now += 1
                inside.most = max(inside.most, inside.now)
                inside.turns += 1
            }
        }
        @Sendable func leave() {
            inside.withLock { $0.now -= 1 }
            turn.release()
        }
        let threads = DispatchGroup()
        for _ in 0..<4 {
            Thread.detachNewThread(in: threads) {
                for _ in 0..<50 {
                    guard turn.take() else { continue }
                    enter()
                    sched_yield()
                    leave()
                }
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<50 {
                        guard await turn.take() else { continue }
                        enter()
                        await Task.yield()
                        leave()
                    }
                }
            }
        }
        await withCheckedContinuation { continuation in
            threads.notify(queue: .global()) { continuation.resume() }
        }
        #expect(inside.withLock { $0.most } == 1)
        #expect(inside.withLock { $0.turns } > 0)
        #expect(!turn.isTaken)
        #expect(await turn.take())
    }

    @Test(
        "who waits for somebody who does not hand the turn on goes without it, and those behind are not held up",
        .comesToAnEnd)
    func impatience() async throws {
        let turn = RetryTurn()
        #expect(await turn.take())
        async let first = turn.take()
        async let second = turn.take()
        let results = await [first, second]
        #expect(results == [false, false])
        turn.release()
        #expect(!turn.isTaken)
        #expect(await turn.take())
        turn.release()
    }

    @Test("a commit gives way, and goes on though the turn is not handed on", .comesToAnEnd)
    func givingWay() {
        let turn = RetryTurn()
        turn.deferToHolder()
        #expect(turn.take())
        turn.deferToHolder()
        turn.release()
        #expect(!turn.isTaken)
    }

    @Test(
        "a transaction whose body runs another one comes to an end, though both meet conflicts again and again",
        .comesToAnEnd)
    func nested() throws {
        let store = try KeyValueStore.inMemory()
        var (outer, inner) = (0, 0)
        try store.transaction { transaction in
            outer += 1
            _ = try transaction.get("outer".utf8)
            if outer <= 5 { try store.put("outer".utf8, "\(outer)".utf8) }
            try transaction.put("result".utf8, "\(outer)".utf8)
            // From the fourth attempt on, the outer one has the turn, which the inner one asks for, too.
            var attempts = 0
            try store.transaction { other in
                (attempts, inner) = (attempts + 1, inner + 1)
                _ = try other.get("inner".utf8)
                if outer == 5, attempts <= 4 { try store.put("inner".utf8, "\(attempts)".utf8) }
                try other.put("other".utf8, "\(attempts)".utf8)
            }
        }
        #expect(try store.get("result".utf8) == Array("6".utf8))
        #expect(inner == 10)
        #expect(!store.engine.retryTurn.isTaken)
    }

    @Test("a body in a task that waits for another task's transaction comes to an end", .comesToAnEnd)
    func waitingForAnother() async throws {
        let store = try KeyValueStore.inMemory()
        let attempts = Counter()
        try await store.transaction { transaction in
            let outer = attempts.next()
            _ = try await transaction.get("outer".utf8)
            if outer < 4 { try await store.put("outer".utf8, "\(outer)".utf8) }
            try transaction.put("result".utf8, "\(outer)".utf8)
            let other = Task {
                let attempts = Counter()
                try await store.transaction { other in
                    let inner = attempts.next()
                    _ = try await other.get("inner".utf8)
                    if inner < 4 { try await store.put("inner".utf8, "\(inner)".utf8) }
                    try other.put("other".utf8, "\(inner)".utf8)
                }
            }
            try await other.value
        }
        #expect(attempts.value == 5)
        #expect(!store.engine.retryTurn.isTaken)
    }
}
