@testable import Siltstone

/// Several damages at once, to a store of a random shape.
struct RandomDamage {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed) }

    /// A shape that is larger than those of the quick form.
    mutating func shape() -> SampleStores.Shape {
        let endings = [SampleStores.Ending.closed, .crashed, .crashedBetweenLogs]
        return SampleStores.Shape(
            name: "random", ending: endings[random.index(3)],
            compression: random.chance(0.5) ? .deflate(level: 1 + random.index(9)) : .none,
            keys: 8 + random.index(100), valueBytes: 2 + random.index(58), seed: random.next())
    }

    /// Two to four damages, each of what the ones before have left.
    /// - Parameter names: the files that may be damaged.
    mutating func damage(of files: StoreFiles, _ names: [String]) -> Damage {
        var changes: [String: StoreFiles.Entry?] = [:]
        var words: [String] = []
        var now = files
        for _ in 0..<2 + random.index(3) {
            let name = names[random.index(names.count)]
            guard let bytes = now.bytes(name), !bytes.isEmpty else { continue }
            guard let next = one(name, bytes, now) else { continue }
            now = next.applied(to: now)
            for (name, entry) in next.changes { changes.updateValue(entry, forKey: name) }
            words.append(next.description)
        }
        return Damage(.several, words.joined(separator: "; "), changes)
    }

    private mutating func one(_ name: String, _ bytes: [UInt8], _ files: StoreFiles) -> Damage? {
        let offset = random.index(bytes.count)
        switch random.index(7) {
        case 0: return files.flipped(.bit, name, at: offset)
        case 1: return files.flipped(.invert, name, at: offset)
        case 2: return files.cut(name, to: offset)
        case 3: return Damage(.lengthen, name, "random bytes behind it", bytes + random.bytes(random.index(200)))
        case 4: return random.chance(0.3) ? Damage(.missing, "\(name) is missing", [name: nil]) : nil
        case 5:
            // A burst, as of a sector that was not written.
            let end = min(bytes.count, offset + 1 + random.index(512))
            var bytes = bytes
            bytes.replaceSubrange(offset..<end, with: [UInt8](repeating: 0, count: end - offset))
            return Damage(.zero, name, "bytes \(offset)..<\(end) are zero", bytes)
        default:
            let from = random.index(bytes.count)
            let piece = bytes[from..<min(bytes.count, from + 64)]
            var bytes = bytes
            let end = min(bytes.count, offset + piece.count)
            bytes.replaceSubrange(offset..<end, with: piece.prefix(end - offset))
            return Damage(.misplaced, name, "bytes from \(from) written at \(offset)", bytes)
        }
    }
}
