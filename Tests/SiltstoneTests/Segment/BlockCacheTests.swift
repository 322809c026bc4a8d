import Testing

@testable import Siltstone

struct BlockCacheTests {
    @Test("The cache stays within its bytes, and keeps what is used", arguments: [20_000, 9 << 20])
    func bounded(capacity: Int) {
        let cache = BlockCache(capacity: capacity)
        let owner = cache.newOwner()
        let favourite = BlockCache.Key(owner: owner, offset: 0)
        cache.insert(HeapBytes(count: 1000), for: favourite)
        for offset in 1..<(capacity / 100) {
            cache.insert(HeapBytes(count: 1000), for: .init(owner: owner, offset: 64 * offset))
            #expect(cache.find(favourite) != nil)
        }
        #expect(cache.counters.bytes <= capacity && cache.counters.bytes > capacity / 2)
        #expect(cache.counters.hits == capacity / 100 - 1)
    }

    @Test("A block greater than the cache is not kept, and pushes nothing out")
    func tooLarge() {
        let cache = BlockCache(capacity: 5000)
        let owner = cache.newOwner()
        cache.insert(HeapBytes(count: 1000), for: .init(owner: owner, offset: 0))
        cache.insert(HeapBytes(count: 6000), for: .init(owner: owner, offset: 64))
        #expect(cache.find(.init(owner: owner, offset: 0)) != nil)
        #expect(cache.find(.init(owner: owner, offset: 64)) == nil)
        #expect(cache.counters.misses == 1)
    }

    @Test("A file that is gone leaves nothing behind, and others keep theirs")
    func owners() {
        let cache = BlockCache(capacity: 100_000)
        let (first, second) = (cache.newOwner(), cache.newOwner())
        for offset in 0..<10 {
            cache.insert(HeapBytes(count: 100), for: .init(owner: first, offset: offset))
            cache.insert(HeapBytes(count: 100), for: .init(owner: second, offset: offset))
        }
        cache.remove(owner: first)
        #expect(cache.counters.entries == 10)
        #expect(cache.find(.init(owner: first, offset: 3)) == nil)
        #expect(cache.find(.init(owner: second, offset: 3)) != nil)
    }

    @Test("Reading a whole segment through a small cache stays in bounds; a closed reader leaves it empty")
    func segment() throws {
        let cache = BlockCache(capacity: 20_000)
        do {
            let fixture = try SegmentFixture(
                RandomRecords.make(3000, seed: 9), options: SegmentOptions(blockBytes: 4096))
            let reader = try fixture.open(.read, cache: cache)
            for record in fixture.records { _ = try reader.lookup(record.key) }
            #expect(cache.counters.bytes <= 20_000 && cache.counters.entries > 0)
            let misses = cache.counters.misses
            _ = try reader.lookup(fixture.records[0].key)
            _ = try reader.lookup(fixture.records[0].key)
            #expect(cache.counters.misses <= misses + 2)
        }
        #expect(cache.counters.bytes == 0)
    }
}
