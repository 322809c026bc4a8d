import Dispatch
import Foundation
import Testing

@testable import Siltstone

@Suite(.timeLimit(.minutes(2))) struct CommitWaiterTests {
    private func patience(sync nanoseconds: UInt64) -> CommitPatience {
        let patience = CommitPatience()
        patience.noteSync(nanoseconds: nanoseconds)
        return patience
    }

    @Test("a call ends the wait, whether it comes before it, while the thread is awake or when it sleeps")
    func calls() {
        let waiter = CommitWaiter()
        for round in 0..<600 {
            let called = DispatchSemaphore(value: 0)
            if round % 3 == 0 {
                waiter.call()
                called.signal()
            } else {
                Thread.detachNewThread {
                    if round % 3 == 1 { Platform.sleep(microseconds: 2000) }
                    waiter.call()
                    called.signal()
                }
            }
            waiter.wait(staying: round % 2 == 0 ? patience(sync: 100_000) : nil)
            called.wait()
        }
    }

    @Test("threads stay awake for two syncs, and not at all before the first one or where they take long")
    func limits() {
        #expect(CommitPatience().nanoseconds == 0)
        #expect(patience(sync: 100_000).nanoseconds == 200_000)
        #expect(patience(sync: CommitPatience.longestSync + 1).nanoseconds == 0)
        let patience = patience(sync: 100_000)
        patience.noteSync(nanoseconds: 10_000_000_000)
        #expect(patience.nanoseconds == 225_000, "one sync that took long says little")
        for _ in 0..<100 { patience.noteSync(nanoseconds: 10_000_000_000) }
        #expect(patience.nanoseconds == 0, "many do")
        for _ in 0..<200 { patience.noteSync(nanoseconds: 50_000) }
        #expect(patience.nanoseconds < 110_000)
    }

    @Test("where others need the processors, threads sleep for some waits, and then try again")
    func busy() {
        let patience = patience(sync: 100_000)
        patience.noteBusy()
        var slept = 0
        while patience.nanoseconds == 0, slept < 1000 { slept += 1 }
        #expect((16...256).contains(slept))
        #expect(patience.nanoseconds > 0)
    }
}
