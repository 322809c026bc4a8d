import Dispatch
import Foundation
import Synchronization
import Testing

@testable import Siltstone

@Suite(.comesToAnEnd) struct CommitWaiterTests {
    private func patience(sync nanoseconds: UInt64) -> CommitPatience {
        let patience = CommitPatience()
        patience.noteSync(nanoseconds: nanoseconds)
        return patience
    }

    @Test(
        "a call ends the wait, and nothing else does, whether it comes before it, while the thread is awake or asleep")
    func calls() {
        let waiter = CommitWaiter()
        for round in 0..<600 {
            let isCalled = Atomic<Bool>(false)
            let called = DispatchSemaphore(value: 0)
            let call: @Sendable () -> Void = {
                // Longer than the other one stays awake.
                if round % 3 == 1 { Platform.sleep(microseconds: 2000) }
                isCalled.store(true, ordering: .sequentiallyConsistent)
                waiter.call()
                called.signal()
            }
            if round % 3 == 0 { call() } else { Thread.detachNewThread(call) }
            waiter.wait(staying: round % 2 == 0 ? patience(sync: 100_000) : nil)
            let wasCalled = isCalled.load(ordering: .sequentiallyConsistent)
            #expect(wasCalled)
            called.wait()
        }
    }

    @Test(
        "two threads that call each other go on, each as soon as it is called",
        arguments: [0, 1000, 100_000] as [UInt64])
    func takingTurns(_ sync: UInt64) {
        let patience = patience(sync: sync)
        let (one, other, done) = (CommitWaiter(), CommitWaiter(), DispatchSemaphore(value: 0))
        let turns = Atomic<Int>(0)
        Thread.detachNewThread {
            for turn in 0..<5000 {
                other.wait(staying: patience)
                let found = turns.load(ordering: .relaxed)
                #expect(found == 2 * turn + 1)
                turns.store(2 * turn + 2, ordering: .relaxed)
                one.call()
            }
            done.signal()
        }
        for turn in 0..<5000 {
            turns.store(2 * turn + 1, ordering: .relaxed)
            other.call()
            one.wait(staying: patience)
            let found = turns.load(ordering: .relaxed)
            #expect(found == 2 * turn + 2)
        }
        done.wait()
    }

    @Test("threads stay awake for two syncs, and not at all before the first one or where they take long")
    func limits() {
        #expect(CommitPatience().limit() == 0)
        #expect(patience(sync: 100_000).limit() == 200_000)
        #expect(patience(sync: CommitPatience.longestSync + 1).limit() == 0)
        let patience = patience(sync: 100_000)
        patience.noteSync(nanoseconds: 10_000_000_000)
        #expect(patience.limit() == 225_000, "one sync that took long says little")
        for _ in 0..<100 { patience.noteSync(nanoseconds: 10_000_000_000) }
        #expect(patience.limit() == 0, "many do")
        for _ in 0..<200 { patience.noteSync(nanoseconds: 50_000) }
        #expect(patience.limit() < 110_000)
    }

    @Test("where others need the processors, threads sleep for a while, longer each time that this is found again soon")
    func busy() {
        let patience = patience(sync: 100_000)
        var now: UInt64 = 1_000_000_000_000
        var pause = CommitPatience.shortestPause
        for _ in 0..<12 {
            patience.noteBusy(now: now)
            patience.noteBusy(now: now + 1)
            #expect(patience.limit(now: now + pause - 1) == 0)
            #expect(patience.limit(now: now + pause) == 200_000)
            now += pause + 1000
            pause = min(2 * pause, CommitPatience.longestPause)
        }
        now += 2 * CommitPatience.longestPause
        patience.noteBusy(now: now)
        #expect(patience.limit(now: now + CommitPatience.shortestPause) == 200_000)
    }
}
