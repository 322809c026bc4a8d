import Testing

@testable import Siltstone

struct StatisticsTests {
    @Test("statistics count what was done")
    func counts() throws {
        var configuration = StoreFixture.small()
        configuration.automaticCompaction = false
        configuration.largeValueBytes = 2000
        let store = try StoreFixture().open(configuration)
        for number in 0..<100 { try store.put(key(number), [UInt8](repeating: 1, count: 10)) }
        for number in 0..<10 { try store.delete(key(number)) }
        try store.put(key(0), [UInt8](repeating: 1, count: 5000), durability: .synced)
        var statistics = store.statistics
        #expect(statistics.changes == 111)
        #expect(statistics.lastSequence == 111)
        #expect(statistics.changedBytes == 100 * 22 + 10 * 12 + 5012)
        #expect(statistics.memTableRecords == 111)
        #expect(statistics.syncRequests == 1)
        #expect(statistics.syncs == 1)
        #expect(statistics.valueFiles == 1)
        #expect(statistics.valueFileBytes >= 5000)
        #expect(statistics.logs == 1)
        #expect(statistics.segmentRecords == 0)
        #expect(statistics.readAmplification == 1)

        try store.flush()
        statistics = store.statistics
        #expect(statistics.flushes == 1)
        #expect(statistics.memTableRecords == 0)
        #expect(statistics.segmentRecords == 91)
        #expect(statistics.liveValueBytes >= 5000)
        #expect(statistics.levels.map(\.runs) == [1])
        #expect(statistics.readAmplification == 2)
        #expect(statistics.writeAmplification > 1)

        let snapshot = store.snapshot()
        try store.compact()
        #expect(store.statistics.snapshots == 1)
        snapshot.release()
        statistics = store.statistics
        #expect(statistics.snapshots == 0)
        #expect(statistics.compactions == 1)
        #expect(statistics.levels.map(\.segments) == [0, 1])
        let reads = statistics.reads
        for number in 0..<7 { _ = try store.get(key(number + 20)) }
        #expect(store.statistics.reads - reads == 7)
        #expect(statistics.backgroundError == nil)
        try store.close()
    }
}
