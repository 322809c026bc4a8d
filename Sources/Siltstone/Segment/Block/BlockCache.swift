import Synchronization

/// Caches blocks and hash-index pages of all segments of a store, up to a number of bytes.
///
/// Each shard evicts by CLOCK (Corbató, 1968). A hit sets a bit instead of relinking a list, and the hit rate is close
/// to that of LRU. Evicted memory stays valid for callers that still hold it.
final class BlockCache: Sendable {
    /// Identifies cached data: a part of one open file.
    struct Key: Hashable, Sendable {
        /// From ``BlockCache/newOwner()``.
        var owner: UInt64
        /// Logical address of a block, or −1 − page for a page of the hash index.
        var offset: Int
    }

    /// Counters of the cache.
    struct Counters: Sendable, Hashable {
        var hits = 0
        var misses = 0
        var bytes = 0
        var entries = 0
    }

    private struct Entry {
        var key: Key
        var block: HeapBytes
        /// True if it was found since the hand last passed it.
        var wasUsed: Bool
    }

    private struct State {
        /// Index of each entry in ``entries``.
        var places: [Key: Int] = [:]
        /// The circular array of CLOCK; nil is a free slot.
        var entries: [Entry?] = []
        /// Indices of the free slots.
        var free: [Int] = []
        /// Index of the next entry that may be evicted.
        var hand = 0
        var counters = Counters()
    }

    private let shards: [Locked<State>]
    private let shardCapacity: Int
    private let owners = Atomic<UInt64>(0)

    /// Bytes of bookkeeping for an entry. They count against the capacity.
    private static let overhead = 128

    /// - Parameter capacity: bytes, including ``overhead`` for each entry. Below 8 MiB the cache has one shard, otherwise
    ///   eight.
    init(capacity: Int) {
        let count = capacity < 8 << 20 ? 1 : 8
        shards = (0..<count).map { _ in Locked(State(), rank: .leaf) }
        shardCapacity = capacity / count
    }

    /// A new identifier for an open file, never used before.
    func newOwner() -> UInt64 { owners.wrappingAdd(1, ordering: .relaxed).newValue }

    /// The counters, summed over all shards.
    var counters: Counters {
        var sum = Counters()
        for shard in shards {
            let part = shard.withLock { $0.counters }
            sum.hits += part.hits
            sum.misses += part.misses
            sum.bytes += part.bytes
            sum.entries += part.entries
        }
        return sum
    }

    private func shard(_ key: Key) -> Locked<State> {
        // Multiplicative hashing: the top three bits choose one of eight shards. Blocks start at multiples of 64.
        let mixed = (UInt64(bitPattern: Int64(key.offset >> 6)) &+ key.owner) &* 0x9e37_79b9_7f4a_7c15
        return shards[Int(truncatingIfNeeded: mixed >> 61) & (shards.count - 1)]
    }

    /// The cached block for a key; nil if it is not cached.
    func find(_ key: Key) -> HeapBytes? {
        shard(key).withLock { state in
            guard let place = state.places[key] else {
                state.counters.misses += 1
                return nil
            }
            state.counters.hits += 1
            state.entries[place]?.wasUsed = true
            return state.entries[place]?.block
        }
    }

    /// Adds a block and evicts others for it. Ignores a block that is larger than a shard.
    func insert(_ block: HeapBytes, for key: Key) {
        let size = block.bytes.count + Self.overhead
        guard size <= shardCapacity else { return }
        let capacity = shardCapacity
        shard(key).withLock { state in
            guard state.places[key] == nil else { return }  // another thread read it at the same time
            while state.counters.bytes + size > capacity { Self.evictOne(&state) }
            let entry = Entry(key: key, block: block, wasUsed: false)
            if let place = state.free.popLast() {
                state.entries[place] = entry
                state.places[key] = place
            } else {
                state.places[key] = state.entries.count
                state.entries.append(entry)
            }
            state.counters.bytes += size
            state.counters.entries += 1
        }
    }

    /// Removes all blocks of a file that was closed.
    func remove(owner: UInt64) {
        for shard in shards {
            shard.withLock { state in
                for place in state.entries.indices where state.entries[place]?.key.owner == owner {
                    Self.remove(place, &state)
                }
            }
        }
    }

    /// Advances the hand to an entry that was not used since the hand last passed it, and removes that entry. The shard
    /// must have at least one entry.
    private static func evictOne(_ state: inout State) {
        while true {
            let place = state.hand
            state.hand = (state.hand + 1) % state.entries.count
            guard let entry = state.entries[place] else { continue }
            if entry.wasUsed {
                state.entries[place]?.wasUsed = false
            } else {
                remove(place, &state)
                return
            }
        }
    }

    private static func remove(_ place: Int, _ state: inout State) {
        guard let entry = state.entries[place] else { return }
        state.places[entry.key] = nil
        state.entries[place] = nil
        state.free.append(place)
        state.counters.bytes -= entry.block.bytes.count + overhead
        state.counters.entries -= 1
    }
}
