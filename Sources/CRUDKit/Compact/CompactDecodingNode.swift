import Foundation

/// The decoder of one value: its place in the input, and the current position within it.
final class CompactDecodingNode: Decoder {
    let input: CompactInput
    private let parent: CompactDecodingNode?
    private let step: CompactStep
    /// The offset of the value's tag.
    private let start: Int
    /// The offset of the next entry, element or end of the map or array. 0 before it is opened.
    var position = 0
    /// How often a requested key was not the next one.
    private var misses = 0
    /// The offsets of values by key, built once single searches would cost more.
    private var index: [ByteExactString: Int]?

    init(_ input: CompactInput, parent: CompactDecodingNode?, step: CompactStep, start: Int) {
        self.input = input
        self.parent = parent
        self.step = step
        self.start = start
    }

    var userInfo: [CodingUserInfoKey: Any] { input.userInfo }

    var codingPath: [any CodingKey] {
        var path = parent?.codingPath ?? []
        if let key = step.codingKey { path.append(key) }
        return path
    }

    private var tag: UInt8 { input.bytes[start] }
    private var isMap: Bool { tag == CompactTag.map || tag == CompactTag.mapWithRepetition }

    // MARK: The three kinds of containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard isMap else { throw mismatch([String: Any].self, at: start, .root) }
        // A superclass may open the map again and continue behind its subclass. Earlier keys are searched for.
        if position == 0 { position = start + 1 }
        return KeyedDecodingContainer(CompactKeyedDecodingContainer(node: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard tag == CompactTag.array else { throw mismatch([Any].self, at: start, .root) }
        position = start + 1
        return CompactUnkeyedDecodingContainer(node: self, offset: position)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        CompactSingleValueDecodingContainer(node: self, offset: start)
    }

    /// A decoder for a value inside this one.
    func child(at offset: Int, _ step: CompactStep) -> CompactDecodingNode {
        CompactDecodingNode(input, parent: self, step: step, start: offset)
    }

    /// The offset behind the value. Skips only the part that was not read.
    var end: Int {
        guard position > 0 else { return input.end(of: start) }
        var offset = position
        if isMap {
            while input.varint(at: &offset) != 0 { offset = input.end(of: offset) }
            return offset
        }
        while input.bytes[offset] != CompactTag.end { offset = input.end(of: offset) }
        return offset + 1
    }

    // MARK: Finding entries

    /// The offset of a key's value; nil if the key is missing.
    ///
    /// Types usually decode their fields in the order in which they encoded them, so the next entry is tried first.
    @inline(__always)
    func find(_ key: String) -> Int? {
        if tag == CompactTag.map {
            var offset = position
            let number = Int(truncatingIfNeeded: input.varint(at: &offset))
            if number != 0, input.key(number &- 1, is: key) { return offset }
        }
        return search(key)
    }

    @inline(never)
    private func search(_ key: String) -> Int? {
        if let index { return index[ByteExactString(key)] }
        // A few searches cost less than an index. Many would be quadratic in the number of entries.
        misses += 1
        if tag == CompactTag.mapWithRepetition || misses > 4 {
            var index: [ByteExactString: Int] = [:]
            forEachEntry { number, offset in
                // The repaired text of a damaged key is not that key.
                if input.isText(number) { index[ByteExactString(input.key(number))] = offset }
                return true
            }
            self.index = index
            return index[ByteExactString(key)]
        }
        var found: Int?
        forEachEntry { number, offset in
            if input.key(number, is: key) { found = offset }
            return found == nil
        }
        return found
    }

    /// Iterates over the entries of the map: key number and offset of the value. Stops when `body` returns false.
    private func forEachEntry(_ body: (Int, Int) -> Bool) {
        var offset = start + 1
        while true {
            let number = Int(truncatingIfNeeded: input.varint(at: &offset))
            guard number != 0, body(number - 1, offset) else { return }
            offset = input.end(of: offset)
        }
    }

    /// The keys of the map, in the order of their first entries.
    var keys: [String] {
        var keys: [String] = []
        var seen: Set<Int> = []
        let mayRepeat = tag == CompactTag.mapWithRepetition
        forEachEntry { number, _ in
            if !mayRepeat || seen.insert(number).inserted { keys.append(input.key(number)) }
            return true
        }
        return keys
    }

    /// The number of elements of the array.
    var elementCount: Int {
        var offset = start + 1
        var count = 0
        while input.bytes[offset] != CompactTag.end {
            offset = input.end(of: offset)
            count += 1
        }
        return count
    }
}
