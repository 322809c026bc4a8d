import Dispatch
import Foundation
import Testing

@testable import Siltstone

struct HazardPointersTests {
    private func superVersion() -> SuperVersion { SuperVersion(tables: [], version: .empty) }

    /// Hazard pointers with a super version, and that super version, weakly.
    private func make() -> (HazardPointers, () -> SuperVersion?) {
        let first = superVersion()
        return (HazardPointers(first), { [weak first] in first })
    }

    /// Publishes a new super version, and releases what can be released. Returns the new one, weakly.
    @discardableResult
    private func replace(_ pointers: HazardPointers) -> () -> SuperVersion? {
        let next = superVersion()
        pointers.publish(next)
        pointers.retire()
        return { [weak next] in next }
    }

    /// Waits for what readers that left have asked for.
    private func waitForReaders() { HazardPointers.retirementQueue.sync {} }

    @Test("a replaced super version goes at once if nobody reads it, otherwise when its reader leaves")
    func reader() {
        let (pointers, old) = make()
        let reading = pointers.enter()
        replace(pointers)
        #expect(old() != nil && pointers.replacedCount == 1)
        pointers.leave(reading)
        waitForReaders()
        #expect(old() == nil && pointers.replacedCount == 0)
        replace(pointers)
        #expect(pointers.replacedCount == 0)
    }

    @Test("a reader that takes long keeps its own super version, and none of those that follow")
    func slow() {
        let (pointers, old) = make()
        let reading = pointers.enter()
        let following = (0..<20).map { _ in replace(pointers) }
        #expect(old() != nil && pointers.replacedCount == 1)
        #expect(following.dropLast().allSatisfy { $0() == nil })
        pointers.leave(reading)
        waitForReaders()
        #expect(old() == nil)
    }

    @Test("a read within a read keeps its own super version, and does not end the protection of the outer one's")
    func nested() {
        let (pointers, old) = make()
        let outer = pointers.enter()
        pointers.leave(pointers.enter())
        let newer = replace(pointers)
        let inner = pointers.enter()
        replace(pointers)
        #expect(inner.superVersion.object === newer())
        #expect(old() != nil)
        pointers.leave(inner)
        waitForReaders()
        #expect(newer() == nil && old() != nil)
        pointers.leave(outer)
        waitForReaders()
        #expect(old() == nil)
        #expect(pointers.readCount == 3)
    }

    @Test("more threads than there are numbers read at once, and each keeps its super version")
    func manyThreads() {
        let (pointers, old) = make()
        let count = ThreadNumbers.limit + 44
        let (entered, mayLeave, left) = (
            DispatchSemaphore(value: 0), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)
        )
        for _ in 0..<count {
            Thread.detachNewThread {
                let reading = pointers.enter()
                entered.signal()
                mayLeave.wait()
                pointers.leave(reading)
                left.signal()
            }
        }
        for _ in 0..<count { entered.wait() }
        let following = (0..<5).map { _ in replace(pointers) }
        #expect(following.dropLast().allSatisfy { $0() == nil })
        // All but one, whichever that is.
        for _ in 1..<count { mayLeave.signal() }
        for _ in 1..<count { left.wait() }
        waitForReaders()
        #expect(old() != nil)
        mayLeave.signal()
        left.wait()
        waitForReaders()
        #expect(old() == nil && pointers.replacedCount == 0)
        #expect(pointers.readCount == UInt64(count))
    }

    @Test("threads that read while super versions are replaced never see one that is gone, and leave none behind")
    func race() {
        let (pointers, _) = make()
        let isDone = Locked(false)
        let reads = Counter()
        let group = DispatchGroup()
        for _ in 0..<4 {
            Thread.detachNewThread(in: group) {
                while !isDone.withLock({ $0 }) {
                    for number in 0..<1_000 {
                        let reading = pointers.enter()
                        let inner = number.isMultiple(of: 10) ? pointers.enter() : nil
                        // In one that was released the debug allocator's marks stand here, or another object.
                        let isComplete = (inner ?? reading).superVersion.with {
                            $0.plan.isComplete && $0.tables.isEmpty
                        }
                        if !isComplete { Issue.record("a super version that is gone was read") }
                        if let inner { pointers.leave(inner) }
                        pointers.leave(reading)
                    }
                    _ = reads.next()
                }
            }
        }
        let end = Date() + SuiteScale.count(0.3, thorough: 2, long: 60)
        var published = 0
        while Date() < end {
            replace(pointers)
            published += 1
        }
        isDone.withLock { $0 = true }
        group.wait()
        waitForReaders()
        #expect(pointers.replacedCount == 0, "the last reader of a super version sees to its release")
        SuiteScale.report(
            "super versions published beside readers",
            ["super versions": published, "thousand reads": reads.value])
    }
}
