/// Assigns numbers to integers: a hash table with open addressing in one array. A dictionary lost: a look-up took twice
/// as long, because its hash has more rounds against attacks. A random seed protects this table.
struct ScalarNumbers {
    private struct Slot {
        var key: Int64 = 0
        /// -1: the slot is free.
        var number: Int32 = -1
    }

    private var slots: [Slot] = []
    private var count = 0
    private let seed = UInt64.random(in: 0 ... .max)

    /// The number of a key; nil if it has none.
    @inline(__always)
    func number(of key: Int64) -> Int32? {
        if slots.isEmpty { return nil }
        let slot = slots[place(of: key)]
        return slot.number < 0 ? nil : slot.number
    }

    /// Assigns a number to a new key.
    /// - Returns: the key's number.
    @inline(__always)
    mutating func insert(_ key: Int64, _ number: Int32) -> Int32 {
        if 2 * count >= slots.count { grow() }
        let place = place(of: key)
        if slots[place].number >= 0 { return slots[place].number }
        slots[place] = Slot(key: key, number: number)
        count += 1
        return number
    }

    /// The slot of a key, or the free slot for it. At least half of the slots are free.
    @inline(__always)
    private func place(of key: Int64) -> Int {
        var hash = UInt64(bitPattern: key) ^ seed
        hash = (hash ^ hash >> 33) &* 0xFF51_AFD7_ED55_8CCD
        hash = (hash ^ hash >> 33) &* 0xC4CE_B9FE_1A85_EC53
        let mask = slots.count &- 1
        var place = Int(truncatingIfNeeded: hash ^ hash >> 33) & mask
        while slots[place].number >= 0, slots[place].key != key { place = (place &+ 1) & mask }
        return place
    }

    private mutating func grow() {
        let old = slots
        slots = [Slot](repeating: Slot(), count: max(64, 2 * old.count))
        for slot in old where slot.number >= 0 { slots[place(of: slot.key)] = slot }
    }
}
