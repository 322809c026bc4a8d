import Dispatch
import Foundation
import Testing

@testable import Siltstone

struct EpochReclaimerTests {
    private func superVersion() -> SuperVersion { SuperVersion(tables: [], version: .empty) }

    /// A publisher with a super version, and that super version, weakly.
    private func make() -> (EpochReclaimer, () -> SuperVersion?) {
        let first = superVersion()
        return (EpochReclaimer(first), { [weak first] in first })
    }

    @Test("a super version that nobody reads goes when it is retired; one that is read stays until the reader has left")
    func reader() {
        let (publisher, old) = make()
        let reading = publisher.enter()
        let retired = publisher.publish(superVersion())
        #expect(!publisher.retire([retired]))
        #expect(old() != nil)
        publisher.leave(reading)
        #expect(publisher.retire([]))
        #expect(old() == nil)
        #expect(publisher.retire([publisher.publish(superVersion())]))
    }

    @Test("a read within a read, of a newer super version, does not end the protection of the outer one's")
    func nested() {
        let (publisher, old) = make()
        let outer = publisher.enter()
        let retired = publisher.publish(superVersion())
        #expect(!publisher.retire([retired]))
        let inner = publisher.enter()
        publisher.leave(inner)
        #expect(!publisher.retire([]))
        #expect(old() != nil)
        publisher.leave(outer)
        #expect(publisher.retire([]) && old() == nil)
        #expect(publisher.readCount == 2)
    }

    @Test("readers that begin after a super version was replaced do not keep it")
    func late() {
        let (publisher, old) = make()
        let retired = publisher.publish(superVersion())
        let before = publisher.enter()
        #expect(!publisher.retire([retired]), "it noted the epoch before the turn, which may mean the old one")
        publisher.leave(before)
        #expect(publisher.retire([]) && old() == nil)
        let second = publisher.publish(superVersion())
        #expect(publisher.retire([second]))
        let after = publisher.enter()
        #expect(publisher.retire([]))
        publisher.leave(after)
    }

    @Test("more threads than there are numbers read at once, and each keeps its super version")
    func manyThreads() {
        let (publisher, old) = make()
        let count = ThreadNumbers.limit + 40
        let (entered, mayLeave, left) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for _ in 0..<count {
            Thread.detachNewThread {
                let reading = publisher.enter()
                entered.signal()
                mayLeave.wait()
                publisher.leave(reading)
                left.signal()
            }
        }
        for _ in 0..<count { entered.wait() }
        let retired = publisher.publish(superVersion())
        #expect(!publisher.retire([retired]))
        // All but one, whichever that is.
        for _ in 1..<count { mayLeave.signal() }
        for _ in 1..<count { left.wait() }
        #expect(!publisher.retire([]) && old() != nil)
        mayLeave.signal()
        left.wait()
        #expect(publisher.retire([]) && old() == nil)
        #expect(publisher.readCount == UInt64(count))
    }

    @Test("threads that read while super versions are published and retired never see one that is gone")
    func race() {
        let (publisher, _) = make()
        let isDone = Locked(false)
        let reads = Counter()
        let group = DispatchGroup()
        for _ in 0..<4 {
            Thread.detachNewThread(in: group) {
                while !isDone.withLock({ $0 }) {
                    for _ in 0..<1_000 {
                        let reading = publisher.enter()
                        // In one that was released the debug allocator's marks stand here, or another object.
                        let isComplete = reading.superVersion.with {
                            $0.plan.isComplete && $0.tables.isEmpty
                        }
                        if !isComplete { Issue.record("a super version that is gone was read") }
                        publisher.leave(reading)
                    }
                    _ = reads.next()
                }
            }
        }
        let end = Date() + SuiteScale.count(0.5, thorough: 2, long: 60)
        var published = 0
        while Date() < end {
            _ = publisher.retire([publisher.publish(superVersion())])
            published += 1
        }
        isDone.withLock { $0 = true }
        group.wait()
        #expect(publisher.retire([]))
        SuiteScale.report(
            "super versions published beside readers",
            ["super versions": published, "thousand reads": reads.value])
    }
}
