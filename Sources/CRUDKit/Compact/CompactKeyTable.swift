import Foundation

/// The keys of a message that is being encoded, each with a number in the order of first use.
///
/// An open hash table in raw memory. A dictionary of strings with arrays took half of the time to encode a small
/// structure: most messages have a handful of keys and use each once.
@safe final class CompactKeyTable {
    private struct Entry {
        /// The offset of the key in ``bytes``.
        var offset: Int
        var count: Int
        var hash: UInt64
        /// The number of the key that followed last time, or −1. Structures in an array repeat their keys in order, so
        /// one comparison replaces a search.
        var successor: Int
    }

    /// The encoded keys, each with a length prefix.
    private let bytes = CompactOutput(capacity: 128)
    private var entries: UnsafeMutablePointer<Entry>
    private var capacity = linearLimit
    private var count = 0
    /// Key numbers by hash, −1 for free slots; twice as many as entries, so that searches end soon. Nil below 8 keys,
    /// where comparing is faster.
    private var slots: UnsafeMutablePointer<Int>?
    private static let linearLimit = 8

    init() { unsafe entries = .allocate(capacity: capacity) }

    deinit {
        unsafe entries.deallocate()
        unsafe slots?.deallocate()
    }

    /// The number of a key.
    /// - Parameter previous: the number of the key before it in the same map; −1 for the first.
    @inline(__always)
    func number(of key: String, after previous: Int) -> Int {
        let found: Int? = unsafe key.utf8.withContiguousStorageIfAvailable {
            unsafe number(of: UnsafeRawBufferPointer($0), after: previous)
        }
        if let found { return found }
        var copy = key
        return copy.withUTF8 { unsafe number(of: UnsafeRawBufferPointer($0), after: previous) }
    }

    @inline(__always)
    private func number(of key: UnsafeRawBufferPointer, after previous: Int) -> Int {
        let guess = unsafe previous >= 0 ? entries[previous].successor : 0
        if guess >= 0, guess < count, unsafe isKey(guess, key) { return guess }
        return unsafe search(key, after: previous)
    }

    @inline(__always)
    private func isKey(_ number: Int, _ key: UnsafeRawBufferPointer) -> Bool {
        let entry = unsafe entries[number]
        return unsafe entry.count == key.count && bytes.holds(key, at: entry.offset)
    }

    @inline(never)
    private func search(_ key: UnsafeRawBufferPointer, after previous: Int) -> Int {
        let number = unsafe slots.map { unsafe search(key, in: $0) } ?? searchLinearly(key)
        if previous >= 0 { unsafe entries[previous].successor = number }
        return number
    }

    private func searchLinearly(_ key: UnsafeRawBufferPointer) -> Int {
        for number in 0..<count where unsafe isKey(number, key) { return number }
        return unsafe append(key)
    }

    private func search(_ key: UnsafeRawBufferPointer, in slots: UnsafeMutablePointer<Int>) -> Int {
        let hash = unsafe Self.hash(key)
        let mask = 2 * capacity - 1
        var slot = Int(truncatingIfNeeded: hash) & mask
        while true {
            let number = unsafe slots[slot]
            if number < 0 {
                unsafe slots[slot] = count
                return unsafe append(key, hash)
            }
            if unsafe entries[number].hash == hash && isKey(number, key) { return number }
            slot = (slot &+ 1) & mask
        }
    }

    private func append(_ key: UnsafeRawBufferPointer, _ hash: UInt64 = 0) -> Int {
        let number = count
        bytes.write(varint: UInt64(key.count))
        unsafe (entries + number).initialize(
            to: Entry(offset: bytes.count, count: key.count, hash: hash, successor: -1))
        unsafe bytes.write(key)
        count += 1
        if count == capacity { grow() }
        return number
    }

    private func grow() {
        let larger = UnsafeMutablePointer<Entry>.allocate(capacity: 2 * capacity)
        unsafe larger.moveInitialize(from: entries, count: count)
        unsafe entries.deallocate()
        unsafe entries = larger
        capacity *= 2

        let table = UnsafeMutablePointer<Int>.allocate(capacity: 2 * capacity)
        unsafe table.initialize(repeating: -1, count: 2 * capacity)
        let mask = 2 * capacity - 1
        let hasHashes = unsafe slots != nil
        for number in 0..<count {
            if !hasHashes { unsafe entries[number].hash = hash(number) }
            var slot = unsafe Int(truncatingIfNeeded: entries[number].hash) & mask
            while unsafe table[slot] >= 0 { slot = (slot &+ 1) & mask }
            unsafe table[slot] = number
        }
        unsafe slots?.deallocate()
        unsafe slots = table
    }

    private func hash(_ number: Int) -> UInt64 {
        let entry = unsafe entries[number]
        return unsafe Self.hash(bytes.bytes(at: entry.offset, count: entry.count))
    }

    /// Builds the complete message: version, keys, value.
    func message(_ body: CompactOutput) -> Data {
        let countSize = max(1, (70 - UInt64(count).leadingZeroBitCount) / 7)
        let size = 1 + countSize + bytes.count + body.count
        // Memory of its own: `Data` would zero its memory first and check every access.
        let target = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        unsafe target[0] = CompactFormat.version
        for index in 0..<countSize {
            let part = UInt8(truncatingIfNeeded: count >> (7 * index)) & 0x7f
            unsafe target[1 + index] = index == countSize - 1 ? part : part | 0x80
        }
        unsafe bytes.copy(to: target, at: 1 + countSize)
        unsafe body.copy(to: target, at: 1 + countSize + bytes.count)
        guard let address = target.baseAddress else { return Data() }
        return unsafe Data(
            bytesNoCopy: address, count: size, deallocator: .custom { memory, _ in unsafe memory.deallocate() })
    }

    // MARK: Hashing

    /// Random in each process, because an attacker may choose colliding dictionary keys.
    private static let seed = UInt64.random(in: .min ... .max)

    /// Multiplies eight bytes at a time to 128 bits and folds them, like wyhash (Wang Yi, 2019). SipHash, which
    /// `Hasher` uses, costs four times as much for keys of this length.
    @inline(__always)
    private static func hash(_ key: UnsafeRawBufferPointer) -> UInt64 {
        var state = seed ^ UInt64(truncatingIfNeeded: key.count)
        var offset = 0
        while offset &+ 8 <= key.count {
            unsafe state = fold(state ^ key.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        var rest: UInt64 = 0
        while offset < key.count {
            rest = unsafe rest &<< 8 | UInt64(key[offset])
            offset &+= 1
        }
        return fold(fold(state ^ rest))
    }

    @inline(__always)
    private static func fold(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
        return product.high ^ product.low
    }
}
