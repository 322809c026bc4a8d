import Siltstone

/// The keys of a store outside of tables, grouped by prefix, with estimated sizes.
///
/// Found by seeks and estimates, without a scan: the largest group is split behind its keys' common prefix until there
/// are enough groups.
struct KeyPrefixes {
    /// Keys with a common prefix.
    struct Group {
        /// The longest common prefix of the group's keys.
        var prefix: [UInt8]
        /// The estimated entries and bytes.
        var estimate: RangeEstimate
        /// Whether the group has a single key.
        var isSingle: Bool
        /// Whether the group must not be split.
        var isWhole = false

        /// The prefix for people, without trailing digits, which belong to ids.
        var name: [UInt8] {
            if isSingle { return prefix }
            var name = prefix
            while let last = name.last, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(last) { name.removeLast() }
            return name.isEmpty ? prefix : name
        }
    }

    private(set) var groups: [Group] = []
    private let snapshot: Snapshot

    /// The first byte of keys of tables.
    private static let tables: UInt8 = 0xfe

    /// Groups the keys of a snapshot.
    /// - Parameters:
    ///   - most: the number of groups at which splitting stops; the last split may exceed it.
    ///   - smallest: the entries below which a group is not split.
    /// - Complexity: O(groups) seeks.
    init(_ snapshot: Snapshot, most: Int = 24, smallest: Int = 64) throws {
        self.snapshot = snapshot
        groups = [
            try group(Siltstone.KeyRange(to: [Self.tables])),
            try group(Siltstone.KeyRange(prefix: [Self.tables + 1])),
        ].compactMap(\.self)
        while groups.count < most {
            let candidates = groups.indices.filter { !groups[$0].isWhole && groups[$0].estimate.entries >= smallest }
            guard let largest = candidates.max(by: { groups[$0].estimate.bytes < groups[$1].estimate.bytes }) else {
                break
            }
            let parts = try split(groups[largest])
            // A split by digits, or into many parts, separates ids instead of kinds of keys.
            let prefixBytes = groups[largest].prefix.count
            let isByDigits = parts.allSatisfy { $0.prefix[prefixBytes...].first.map(Self.isDigit) ?? true }
            if parts.count < 2 || parts.count > 40 || isByDigits {
                groups[largest].isWhole = true
                continue
            }
            groups.replaceSubrange(largest...largest, with: parts)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
            UInt8(ascii: "A")...UInt8(ascii: "F"):
            true
        default: false
        }
    }

    /// The group of all keys in a range; nil if there are none.
    private func group(_ range: Siltstone.KeyRange) throws -> Group? {
        let first = try snapshot.scan(from: range.from, to: range.to, limit: 1)
        guard let record = try first.next() else { return nil }
        let firstKey = record.key
        let last = try snapshot.scan(from: range.from, to: range.to, reverse: true, limit: 1)
        let lastKey = try last.next()?.key ?? firstKey
        if firstKey == lastKey {
            // An estimate takes all records of a segment as equally large.
            let exact = RangeEstimate(entries: 1, bytes: firstKey.count + record.value.count)
            return Group(prefix: firstKey, estimate: exact, isSingle: true)
        }
        let common = zip(firstKey, lastKey).prefix { $0 == $1 }.count
        return Group(
            prefix: Array(firstKey[..<common]), estimate: try snapshot.estimate(from: range.from, to: range.to),
            isSingle: false)
    }

    /// Splits a group by the byte behind its prefix, with a seek for each part. A key that ends with the prefix is a
    /// part of its own.
    private func split(_ group: Group) throws -> [Group] {
        var parts: [Group] = []
        let cursor = try snapshot.scan(prefix: group.prefix)
        while let key = try cursor.next()?.key {
            guard key.count > group.prefix.count else {
                if let part = try self.group(Siltstone.KeyRange(from: key, to: key + [0])) { parts.append(part) }
                continue
            }
            let byte = key[group.prefix.count]
            if group.prefix.isEmpty, byte == Self.tables { break }
            if let part = try self.group(Siltstone.KeyRange(prefix: group.prefix + [byte])) { parts.append(part) }
            if byte == 0xff || parts.count > 40 { break }
            try cursor.seek(to: group.prefix + [byte + 1])
        }
        return parts
    }
}
