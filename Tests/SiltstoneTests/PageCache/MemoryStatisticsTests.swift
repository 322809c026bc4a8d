import Testing

@testable import Siltstone

/// Memory in the statistics.
struct MemoryStatisticsTests {
    @Test("mapped pages of files are told apart from the store's own memory", arguments: [FileAccess.mapped, .read])
    func apart(_ access: FileAccess) throws {
        let fixture = try StoreFixture(onDisk: ())
        var configuration = StoreFixture.small()
        configuration.access = access
        let store = try fixture.open(configuration)
        for number in 0..<2000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        for number in 0..<20 { try store.put(key(number), [UInt8](repeating: 1, count: 10_000)) }
        try store.compact()
        _ = try store.scan().remaining()
        let statistics = store.statistics
        let files = statistics.segmentBytes + statistics.valueFileBytes
        if access == .mapped {
            #expect(statistics.mappedBytes >= statistics.segmentBytes && files > 400_000)
            #expect((1...statistics.mappedBytes).contains(statistics.mappedBytesInMemory))
            #expect(statistics.cacheBytes == 0)
        } else {
            #expect(statistics.mappedBytes == 0 && statistics.mappedBytesInMemory == 0)
            #expect(statistics.cacheBytes > 0)
        }
        // Two memtables, as many that wait, the cache, and some bytes for each block.
        let bound = 4 * configuration.memTableBytes + configuration.cacheBytes + (1 << 20)
        #expect((statistics.cacheBytes...bound).contains(statistics.ownMemoryBytes))
        try store.close()
    }

    @Test("a store says whether it fits into memory")
    func fits() throws {
        var configuration = StoreFixture.small()
        configuration.availableMemory = { 100_000 }
        let store = try StoreFixture().open(configuration)
        #expect(store.statistics.fitsInMemory)
        for number in 0..<2000 { try store.put(key(number), [UInt8](repeating: 1, count: 100)) }
        try store.compact()
        #expect(!store.statistics.fitsInMemory)
        try store.close()
    }
}
