import SiltstoneTesting
import Testing

@testable import Siltstone

extension FaultPhase {
    static let writing = FaultPhase(
        name: "writing", image: { try settled($0) },
        action: { run in
            for number in 100..<104 { run.put(number, 120) }
            run.put(104, 90, .buffered)
            run.put(105, 3000)
            run.delete(2)
            writeBatch(run)
            run.change({ $0.deleteRange(key(10), key(13)) }) { store throws(StoreError) in
                try store.deleteRange(from: key(10), to: key(13))
            }
            changeConditionally(run)
            if let store = run.store { run.attempt { () throws(StoreError) in try store.sync() } }
        })

    /// A batch of everything, which must be there as a whole or not at all.
    private static func writeBatch(_ run: FaultRun) {
        let (small, large) = (FaultRun.value(200, 50), FaultRun.value(201, 2600))
        var batch = WriteBatch()
        batch.put(key(200), small)
        batch.put(key(201), large)
        batch.delete(key(3))
        batch.deleteRange(from: key(14), to: key(16))
        let whole = batch
        run.change({ model in
            model[key(200)] = small
            model[key(201)] = large
            model[key(3)] = nil
            model.deleteRange(key(14), key(16))
        }) { store throws(StoreError) in try store.write(whole) }
    }

    private static func changeConditionally(_ run: FaultRun) {
        let value = FaultRun.value(7, 70)
        run.changeIf(210, { $0 == nil }, to: value) { store throws(StoreError) in try store.insert(key(210), value) }
        run.changeIf(20, { $0 != nil }, to: value) { store throws(StoreError) in try store.replace(key(20), value) }
        run.changeIf(21, { $0 != nil }, to: nil) { store throws(StoreError) in try store.remove(key(21)) }
        let (old, new) = (FaultRun.value(70, 4000), FaultRun.value(31, 2300))
        run.changeIf(70, { $0 == old }, to: new) { store throws(StoreError) in
            try store.compareAndSet(key(70), expected: old, new: new)
        }
    }

    /// Enough for the next log, a flush in the background and a compaction.
    static let rotation = FaultPhase(
        name: "a full memtable",
        configure: {
            $0.automaticCompaction = true
            $0.largeValueBytes = 10_000; $0.durability = .buffered
        },
        image: { try settled($0) },
        action: { run in
            for number in 100..<112 { run.put(number, 9000) }
            run.settle()
            run.put(160, 100, .synced)
        })

    static let flush = FaultPhase(
        name: "flush", image: { try settled($0) },
        action: { run in
            guard let store = run.store else { return }
            run.attempt { () throws(StoreError) in try store.flush() }
            run.put(100, 300)
            run.attempt { () throws(StoreError) in try store.flush() }
        })

    /// With so much in memory that closing writes a segment.
    static let closing = FaultPhase(
        name: "closing",
        configure: {
            $0.memTableBytes = 1 << 20; $0.largeValueBytes = 20_000; $0.durability = .buffered
        },
        image: { configuration in
            try FaultImage.closed(configuration) { store in
                for number in 0..<10 { try store.put(key(number), FaultRun.value(number, 200)) }
                try store.put(key(10), FaultRun.value(10, 30_000))
                try store.flush()
                for number in 20..<44 { try store.put(key(number), FaultRun.value(number, 12_000)) }
            }
        },
        action: { run in
            run.put(100, 100)
            run.close()
        })
}
