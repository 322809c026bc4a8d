import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Threads that write, read, scan, flush, compact, check and copy at once, and what must hold whatever they do.
struct ConcurrencyTests {
    private static let rounds = SuiteScale.count(1, thorough: 1, long: 50)

    /// Whether the other threads are to go on.
    private final class Going: Sendable {
        private let stopped = Locked(false)
        var on: Bool { stopped.withLock { !$0 } }
        func stop() { stopped.withLock { $0 = true } }
    }

    private static func number(_ bytes: [UInt8]?) -> Int {
        bytes.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? -1
    }

    private static func bytes(_ number: Int) -> [UInt8] { Array(String(number).utf8) }

    /// Runs a body that must not throw.
    private static func record(_ body: () throws -> Void) {
        do { try body() } catch { Issue.record(error) }
    }

    /// Runs threads on a store until the writers among them are done.
    private func run(
        _ store: KeyValueStore, writers: [@Sendable () throws -> Void], others: [@Sendable () throws -> Void]
    ) {
        let going = Going()
        let (writing, beside) = (DispatchGroup(), DispatchGroup())
        for body in others {
            Thread.detachNewThread(in: beside) {
                while going.on { Self.record(body) }
            }
        }
        for body in writers {
            Thread.detachNewThread(in: writing) { Self.record(body) }
        }
        writing.wait()
        going.stop()
        beside.wait()
    }

    /// Everything that disturbs.
    private func maintenance(_ store: KeyValueStore, _ fixture: StoreFixture) -> [@Sendable () throws -> Void] {
        let counter = Counter()
        return [
            { try store.flush() },
            {
                try store.compact()
                usleep(5000)
            },
            {
                let report = try store.verify()
                #expect(report.problems == [])
                usleep(5000)
            },
            {
                let path = "\(fixture.path)-checkpoint-\(counter.next())"
                try store.checkpoint(to: path)
                usleep(20_000)
            },
        ]
    }

    @Test(
        "transfers between accounts never change their sum, in any snapshot, scan or checkpoint", .comesToAnEnd,
        arguments: [64, 8 << 10])
    func bank(_ largeValueBytes: Int) throws {
        for round in 0..<Self.rounds {
            let fixture = try StoreFixture(onDisk: ())
            var configuration = StoreFixture.small()
            configuration.largeValueBytes = largeValueBytes
            let store = try fixture.open(configuration)
            let accounts = 50
            // A balance, and enough padding for many flushes.
            @Sendable func encode(_ balance: Int) -> [UInt8] {
                Self.bytes(balance) + [UInt8](repeating: 0x20, count: 150)
            }
            @Sendable func decode(_ value: [UInt8]) -> Int { Self.number(value.filter { $0 != 0x20 }) }
            var batch = WriteBatch()
            for account in 0..<accounts { batch.put(key(account), encode(1000)) }
            try store.write(batch)
            let locked = Locked(SeededGenerator(UInt64(round)))
            let transfers = ConditionLock()
            let writers = (0..<3).map { _ -> @Sendable () throws -> Void in
                {
                    for _ in 0..<400 {
                        let (a, b, amount) = locked.withLock { ($0.index(accounts), $0.index(accounts), $0.index(100)) }
                        if a == b { continue }
                        let failure = transfers.withLock { () -> (any Error)? in
                            do {
                                var batch = WriteBatch()
                                let old = try store.get(all: [key(a), key(b)]).map { decode($0 ?? []) }
                                batch.put(key(a), encode(old[0] - amount))
                                batch.put(key(b), encode(old[1] + amount))
                                try store.write(batch)
                                return nil
                            } catch { return error }
                        }
                        if let failure { throw failure }
                    }
                }
            }
            run(
                store, writers: writers,
                others: maintenance(store, fixture) + [
                    {
                        let entries = try store.allEntries()
                        #expect(entries.count == accounts)
                        #expect(entries.reduce(0) { $0 + decode($1.value) } == accounts * 1000)
                    },
                    {
                        let snapshot = store.snapshot()
                        let sum = try (0..<accounts).reduce(0) { $0 + decode(try snapshot.get(key($1)) ?? []) }
                        #expect(sum == accounts * 1000)
                    },
                    {
                        let entries = try store.scan(reverse: true).remaining()
                        #expect(entries.reduce(0) { $0 + decode($1.value) } == accounts * 1000)
                    },
                ])
            try store.close()
            for name in try fixture.fileSystem.entries(of: StoreOpener.parent(of: fixture.path))
            where name.contains("checkpoint") {
                let copy = try KeyValueStore.open(at: StoreOpener.parent(of: fixture.path) + "/" + name)
                let sum = try copy.allEntries().reduce(0) { $0 + decode($1.value) }
                #expect(sum == accounts * 1000)
                try copy.close()
            }
        }
    }

    @Test("a counter that only grows never goes back for any reader, and no increment is lost", .comesToAnEnd)
    func counters() throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open()
        for counter in 0..<4 { try store.put(key(counter), Self.bytes(0)) }
        let writers = (0..<4).map { writer -> @Sendable () throws -> Void in
            {
                // All four increment all counters, by compare and set.
                for step in 0..<300 {
                    let name = key((writer + step) % 4)
                    while true {
                        let old = try store.get(name)
                        if try store.compareAndSet(name, expected: old, new: Self.bytes(Self.number(old) + 1)) { break }
                    }
                    try store.put(key(1000 + writer * 1000 + step), [UInt8](repeating: 1, count: 300))
                }
            }
        }
        let readers = (0..<2).map { _ -> @Sendable () throws -> Void in
            {
                var last = [Int](repeating: 0, count: 4)
                for step in 0..<200 {
                    let found =
                        step % 2 == 0
                        ? Self.number(try store.get(key(step % 4)))
                        : Self.number(try store.scan(from: key(step % 4), limit: 1).next()?.value)
                    #expect(found >= last[step % 4])
                    last[step % 4] = max(last[step % 4], found)
                }
            }
        }
        run(store, writers: writers, others: readers + maintenance(store, fixture))
        let sum = try (0..<4).reduce(0) { $0 + Self.number(try store.get(key($1))) }
        #expect(sum == 1200)
        try store.close()
    }

    @Test("of many threads that insert the same keys, exactly one wins each", .comesToAnEnd)
    func inserts() throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open()
        let won = Counter()
        let writers = (0..<4).map { writer -> @Sendable () throws -> Void in
            {
                for number in 0..<1500 {
                    if try store.insert(key(number), Self.bytes(writer) + [UInt8](repeating: 1, count: 100)) {
                        _ = won.next()
                    }
                }
            }
        }
        run(store, writers: writers, others: [{ try store.flush() }, { try store.compact() }])
        #expect(won.value == 1500)
        try store.close()
    }

    @Test("a batch is seen whole or not at all", .comesToAnEnd)
    func batches() throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open()
        let writer: @Sendable () throws -> Void = {
            for generation in 0..<600 {
                var batch = WriteBatch()
                for part in 0..<20 {
                    batch.put(key(part), Self.bytes(generation) + [UInt8](repeating: 0x20, count: generation % 200))
                }
                if generation % 10 == 5 { batch.deleteRange(from: key(0), to: key(20)) }
                try store.write(batch)
            }
        }
        @Sendable func check(_ values: [[UInt8]]) {
            #expect(values.isEmpty || values.count == 20)
            #expect(Set(values).count <= 1)
        }
        run(
            store, writers: [writer],
            others: [
                {
                    let keys = (0..<20).map { key($0) }
                    check(try store.get(all: keys).compactMap { $0 })
                },
                { check(try store.allEntries().map(\.value)) },
                { check(try store.scan(reverse: true).remaining().map(\.value)) },
                { try store.flush() },
                { try store.compact() },
            ])
        try store.close()
    }

    @Test("a write from inside a read that lends its value does not wait for itself", .comesToAnEnd)
    func writeInsideRead() throws {
        let store = try StoreFixture().open()
        try store.put("key".utf8, "value".utf8)
        try store.withValue("key".utf8) { value in
            for number in 0..<3000 { try store.put(key(number), [UInt8](repeating: 1, count: 200)) }
            try store.put(key(0), [UInt8](repeating: 2, count: 100_000))
            try store.flush()
            try store.compact()
            #expect(value.byteCount == 5)
        }
        try store.close()
    }
}
