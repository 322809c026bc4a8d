import Foundation
import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

struct GroupCommitTests {
    /// A log without a log: tickets are handed out, and a sync makes durable what was handed out before.
    private final class Disk: Sendable {
        let handedOut = Atomic<UInt64>(0)
        let durable = Atomic<UInt64>(0)
        let syncs = Atomic<Int>(0)
        let running = Atomic<Int>(0)
        let failsFrom = Atomic<Int>(.max)
        let microseconds: UInt32
        /// When the next sync may end.
        let hold = Locked<(@Sendable () -> Bool)?>(nil)

        init(microseconds: UInt32 = 100) { self.microseconds = microseconds }

        func next() -> UInt64 { handedOut.add(1, ordering: .sequentiallyConsistent).newValue }

        func sync() throws(StoreError) -> UInt64 {
            if running.add(1, ordering: .sequentiallyConsistent).oldValue != 0 { Issue.record("two syncs at once") }
            defer { running.subtract(1, ordering: .sequentiallyConsistent) }
            let target = handedOut.load(ordering: .sequentiallyConsistent)
            if microseconds > 0 { Platform.sleep(microseconds: microseconds) }
            let mayEnd = hold.withLock { hold in
                defer { hold = nil }
                return hold
            }
            if let mayEnd { Polling.wait(until: mayEnd) }
            let number = syncs.add(1, ordering: .sequentiallyConsistent).newValue
            if number >= failsFrom.load(ordering: .sequentiallyConsistent) {
                throw StoreError(.inputOutput, "the disk is gone", errorNumber: Platform.inputOutputError)
            }
            durable.store(target, ordering: .sequentiallyConsistent)
            return target
        }

        func group() -> GroupCommit { GroupCommit { () throws(StoreError) in try self.sync() } }

        func check(_ ticket: UInt64) {
            if durable.load(ordering: .sequentiallyConsistent) < ticket { Issue.record("\(ticket) is not durable") }
        }
    }

    private final class Errors: Sendable {
        private let errors = Locked<[StoreError]>([])
        var all: [StoreError] { errors.withLock { $0 } }
        func add(_ error: StoreError) { errors.withLock { $0.append(error) } }
    }

    @Test("one thread alone pays one sync for each request, and none for what is durable", .comesToAnEnd)
    func alone() throws {
        let disk = Disk(microseconds: 0)
        let group = disk.group()
        for _ in 0..<50 {
            let ticket = disk.next()
            try group.wait(for: ticket)
            disk.check(ticket)
            try group.wait(for: ticket)
        }
        #expect(group.counts == GroupCommit.Counts(requests: 50, syncs: 50))
        #expect(group.durable == 50)
        try group.wait(for: 0)
    }

    @Test("threads share syncs, and each returns only when its change is durable", .comesToAnEnd)
    func threads() {
        let disk = Disk()
        let group = disk.group()
        let members = DispatchGroup()
        for _ in 0..<16 {
            Thread.detachNewThread(in: members) {
                do {
                    for _ in 0..<50 {
                        let ticket = disk.next()
                        try group.wait(for: ticket)
                        disk.check(ticket)
                    }
                } catch { Issue.record(error) }
            }
        }
        members.wait()
        #expect(group.durable == 800)
        #expect(group.counts.requests <= 800)
        #expect(group.counts.syncs == disk.syncs.load(ordering: .sequentiallyConsistent))
        #expect(group.counts.syncs <= 400)
    }

    @Test("thousands of tasks share few syncs, and block no thread of the pool", .comesToAnEnd)
    func tasks() async {
        let disk = Disk()
        let group = disk.group()
        let resumed = Counter()
        // The first sync ends when the last has asked, however quick the processors are.
        disk.hold.withLock { $0 = { group.counts.requests >= 4000 } }
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<4000 {
                tasks.addTask {
                    do {
                        let ticket = disk.next()
                        try await group.wait(for: ticket)
                        disk.check(ticket)
                        _ = resumed.next()
                    } catch { Issue.record(error) }
                }
            }
        }
        #expect(resumed.value == 4000)
        // A second one for those who came after the first had begun.
        #expect(group.counts.syncs <= 2)
        #expect(group.state.withLock { $0.waiters.isEmpty && !$0.isSyncing })
    }

    @Test("threads and tasks wait for the same syncs", .comesToAnEnd)
    func mixed() async {
        let disk = Disk(microseconds: 20)
        let group = disk.group()
        let members = DispatchGroup()
        for _ in 0..<4 {
            Thread.detachNewThread(in: members) {
                do {
                    for _ in 0..<100 {
                        let ticket = disk.next()
                        try group.wait(for: ticket)
                        disk.check(ticket)
                    }
                } catch { Issue.record(error) }
            }
        }
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<20 {
                tasks.addTask {
                    do {
                        for _ in 0..<50 {
                            let ticket = disk.next()
                            try await group.wait(for: ticket)
                            disk.check(ticket)
                        }
                    } catch { Issue.record(error) }
                }
            }
        }
        await withCheckedContinuation { continuation in
            members.notify(queue: .global()) { continuation.resume() }
        }
        #expect(group.durable == 1400)
        #expect(group.state.withLock { $0.waiters.isEmpty && !$0.isSyncing })
    }

    @Test("a failed sync reaches every waiter, and every later one as a refusal with the cause", .comesToAnEnd)
    func failure() async throws {
        let disk = Disk(microseconds: 2000)
        let group = disk.group()
        let first = disk.next()
        try await group.wait(for: first)
        disk.failsFrom.store(2, ordering: .sequentiallyConsistent)
        let errors = Errors()
        let members = DispatchGroup()
        for _ in 0..<8 {
            let ticket = disk.next()
            Thread.detachNewThread(in: members) {
                do throws(StoreError) { try group.wait(for: ticket) } catch { errors.add(error) }
            }
        }
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<200 {
                let ticket = disk.next()
                tasks.addTask {
                    do throws(StoreError) { try await group.wait(for: ticket) } catch {
                        errors.add(error)
                    }
                }
            }
        }
        await withCheckedContinuation { continuation in
            members.notify(queue: .global()) { continuation.resume() }
        }
        let all = errors.all
        #expect(all.count == 208)
        #expect(all.allSatisfy { $0.errorNumber == Platform.inputOutputError })
        #expect(all.allSatisfy { $0.code == .inputOutput || $0.code == .refusesWrites })
        #expect(all.contains { $0.code == .inputOutput })
        #expect(disk.syncs.load(ordering: .sequentiallyConsistent) == 2)
        let late = disk.next()
        let threadError = #expect(throws: StoreError.self) { try wait(group, late) }
        #expect(threadError?.code == .refusesWrites)
        let taskError = await #expect(throws: StoreError.self) { try await group.wait(for: late) }
        #expect(taskError?.code == .refusesWrites)
        // What was durable before stays so.
        try await group.wait(for: first)
    }

    /// The form that blocks, from a test that is asynchronous.
    private func wait(_ group: GroupCommit, _ ticket: UInt64) throws(StoreError) { try group.wait(for: ticket) }

    @Test("a cancelled task waits on until its change is durable", .comesToAnEnd)
    func cancellation() async throws {
        let disk = Disk(microseconds: 5000)
        let group = disk.group()
        let task = Task {
            let ticket = disk.next()
            try await group.wait(for: ticket)
            disk.check(ticket)
            return Task.isCancelled
        }
        task.cancel()
        #expect(try await task.value)
    }

    @Test("requests that come during a sync share the next one", .comesToAnEnd)
    func sharing() throws {
        let disk = Disk()
        let group = disk.group()
        disk.hold.withLock { $0 = { group.counts.requests >= 11 } }
        let members = DispatchGroup()
        func ask() {
            let ticket = disk.next()
            Thread.detachNewThread(in: members) {
                do { try group.wait(for: ticket) } catch { Issue.record(error) }
            }
        }
        ask()
        while disk.running.load(ordering: .sequentiallyConsistent) == 0 { Platform.yieldThread() }
        for _ in 0..<10 { ask() }
        members.wait()
        #expect(group.counts.syncs == 2)
        #expect(group.durable == 11)
    }

    /// Asks from a thread, and returns once its sync runs, which ends when so many others wait.
    private func lead(
        _ group: GroupCommit, _ disk: Disk, until waiters: Int, _ members: DispatchGroup, _ errors: Errors
    ) {
        disk.hold.withLock { $0 = { group.arrived.load(ordering: .relaxed) >= waiters } }
        let ticket = disk.next()
        Thread.detachNewThread(in: members) {
            do throws(StoreError) { try group.wait(for: ticket) } catch { errors.add(error) }
        }
        while disk.running.load(ordering: .sequentiallyConsistent) == 0 { Platform.yieldThread() }
    }

    @Test("tasks that come while a thread leads are not forgotten when no thread follows", .comesToAnEnd)
    func tasksBehindThread() async throws {
        let disk = Disk(microseconds: 0)
        let (group, members, errors) = (disk.group(), DispatchGroup(), Errors())
        lead(group, disk, until: 10, members, errors)
        let tickets = (0..<10).map { _ in disk.next() }
        await withTaskGroup(of: Void.self) { tasks in
            for ticket in tickets {
                tasks.addTask {
                    do { try await group.wait(for: ticket) } catch { Issue.record(error) }
                    disk.check(ticket)
                }
            }
        }
        #expect(group.counts == GroupCommit.Counts(requests: 11, syncs: 2))
        #expect(errors.all.isEmpty)
    }

    @Test("tasks are not left to a thread that came during the sync with them, and needs no other", .comesToAnEnd)
    func tasksBesideCoveredThread() async {
        let disk = Disk(microseconds: 0)
        let (group, members, errors) = (disk.group(), DispatchGroup(), Errors())
        let covered = disk.next()
        lead(group, disk, until: 11, members, errors)
        Thread.detachNewThread(in: members) {
            do throws(StoreError) { try group.wait(for: covered) } catch { errors.add(error) }
        }
        await withTaskGroup(of: Void.self) { tasks in
            for ticket in (0..<10).map({ _ in disk.next() }) {
                tasks.addTask {
                    do { try await group.wait(for: ticket) } catch { Issue.record(error) }
                    disk.check(ticket)
                }
            }
        }
        #expect(group.counts == GroupCommit.Counts(requests: 12, syncs: 2))
        #expect(errors.all.isEmpty)
    }

    @Test("requests that come during the sync that covers them need no other, and none is left waiting", .comesToAnEnd)
    func coveredLate() {
        let disk = Disk(microseconds: 0)
        let (group, members, errors) = (disk.group(), DispatchGroup(), Errors())
        // These changes are made before the sync, and asked for while it runs.
        let tickets = (0..<5).map { _ in disk.next() }
        lead(group, disk, until: 5, members, errors)
        for ticket in tickets {
            Thread.detachNewThread(in: members) {
                do throws(StoreError) { try group.wait(for: ticket) } catch { errors.add(error) }
            }
        }
        members.wait()
        #expect(group.counts == GroupCommit.Counts(requests: 6, syncs: 1))
        #expect(errors.all.isEmpty)
    }

    @Test("a failure reaches also those who came during the sync that failed", .comesToAnEnd)
    func failureBehind() async {
        let disk = Disk(microseconds: 0)
        disk.failsFrom.store(1, ordering: .sequentiallyConsistent)
        let (group, members, errors) = (disk.group(), DispatchGroup(), Errors())
        lead(group, disk, until: 15, members, errors)
        for _ in 0..<5 {
            let ticket = disk.next()
            Thread.detachNewThread(in: members) {
                do throws(StoreError) { try group.wait(for: ticket) } catch { errors.add(error) }
            }
        }
        let tickets = (0..<10).map { _ in disk.next() }
        await withTaskGroup(of: Void.self) { tasks in
            for ticket in tickets {
                tasks.addTask {
                    do throws(StoreError) { try await group.wait(for: ticket) } catch { errors.add(error) }
                }
            }
        }
        await withCheckedContinuation { continuation in
            members.notify(queue: .global()) { continuation.resume() }
        }
        #expect(errors.all.count == 16)
        #expect(errors.all.allSatisfy { $0.errorNumber == Platform.inputOutputError })
        #expect(disk.syncs.load(ordering: .sequentiallyConsistent) == 1)
    }

    @Test("a sync that covers less than was asked for acknowledges nothing else", .comesToAnEnd)
    func shortSync() async throws {
        let calls = Counter()
        let gate = DispatchSemaphore(value: 0)
        let group = GroupCommit { () throws(StoreError) in
            let call = calls.next()
            if call == 0 { gate.wait() }
            return UInt64(call)
        }
        let done = Counter()
        await withTaskGroup(of: Void.self) { tasks in
            for ticket in 1...6 as ClosedRange<UInt64> {
                tasks.addTask {
                    do { try await group.wait(for: ticket) } catch { Issue.record(error) }
                    #expect(group.durable >= ticket)
                    _ = done.next()
                }
            }
            // The first sync has begun, with one of them or more; the others wait for the next.
            while calls.value == 0 { await Task.yield() }
            gate.signal()
        }
        #expect(done.value == 6)
        #expect(group.durable == 6)
    }

    @Test("many logs written one after the other are synced in their order", .comesToAnEnd)
    func rotation() throws {
        let files = FaultInjectingFileSystem()
        let logs = Locked<[(writer: LogWriter, last: UInt64)]>([])
        let group = GroupCommit { () throws(StoreError) in
            let open = logs.withLock { $0.map { ($0.writer, $0.last) } }
            for (writer, _) in open { try writer.sync() }
            return open.last?.1 ?? 0
        }
        var sequence: UInt64 = 0
        for number in 1...3 {
            let writer = try LogFixture(files, path: "/\(number)").create()
            logs.withLock { $0.append((writer, sequence)) }
            for _ in 0..<3 {
                sequence += 1
                try writer.put("a", [1], sequence)
                logs.withLock { $0[$0.count - 1].last = sequence }
            }
        }
        try group.wait(for: sequence)
        #expect(files.log.filter { $0.operation == .sync }.suffix(3).map(\.path) == ["/1", "/2", "/3"])
        #expect(logs.withLock { $0.allSatisfy { $0.writer.syncedEnd == $0.writer.end } })
    }
}
