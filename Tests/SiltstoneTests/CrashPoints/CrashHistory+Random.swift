import Siltstone

/// Histories from a seed, in configurations from the same seed.
extension CrashHistory {
    static func random(seed: UInt64, steps count: Int) -> CrashHistory {
        var source = RandomSteps(seed: seed)
        let configuration = source.configuration()
        let steps = (0..<count).map { _ in source.step() }
        return CrashHistory(name: "random history \(seed)", configuration: configuration, steps: steps)
    }
}

private struct RandomSteps {
    private var random: SeededGenerator
    private var number = 0
    private var checkpoints = 0
    private var bytesLeft = 150_000

    init(seed: UInt64) { random = SeededGenerator(seed) }

    mutating func configuration() -> Configuration {
        let durability: Durability = random.chance(0.4) ? .synced : .buffered
        var configuration = CrashHistory.small(durability, random.chance(0.5) ? .mapped : .written)
        configuration.automaticCompaction = random.chance(0.5)
        configuration.access = random.chance(0.5) ? .mapped : .read
        if random.chance(0.3) { configuration.compression = .deflate(level: 1) }
        configuration.largeValueBytes = [64, 200, 8 << 10][random.index(3)]
        configuration.blockBytes = [4 << 10, 16 << 10][random.index(2)]
        return configuration
    }

    /// Few keys, so that they meet again and again.
    private mutating func key() -> [UInt8] {
        random.chance(0.05) ? [] : Array("key \(random.index(14))".utf8)
    }

    private mutating func value() -> [UInt8] {
        let length =
            switch random.index(12) {
            case 0: 0
            case 1: 3000
            case 2, 3: 100 + random.index(900)
            default: 8 + random.index(60)
            }
        let text = Array("value \(number) ".utf8)
        return (0..<length).map { text[$0 % text.count] }
    }

    private mutating func durability() -> Durability? {
        switch random.index(8) {
        case 0: .synced
        case 1: .buffered
        default: nil
        }
    }

    mutating func step() -> HistoryStep {
        number += 1
        switch random.index(100) {
        case 0..<38: return .put(key(), value(), durability())
        case 38..<48: return .delete(key(), durability())
        case 48..<53: return .deleteRange(key(), key(), durability())
        case 53..<65: return .write(changes(), durability())
        case 65..<68: return .insert(key(), value())
        case 68..<70: return .remove(key())
        case 70: return .replace(key(), value())
        case 71..<74: return .compareAndSet(key(), nil, random.chance(0.5) ? value() : nil)
        case 74..<83: return .flush
        case 83..<87: return .compact
        case 87..<91: return .sync
        case 91..<93:
            checkpoints += 1
            return .checkpoint("checkpoint \(checkpoints)")
        case 93..<95: return .hold
        case 95..<96: return .release
        default: return .reopen
        }
    }

    private mutating func changes() -> [HistoryChange] {
        // Now and then more than a memtable holds, but not so often that nothing else happens.
        let isLarge = bytesLeft > 0 && random.chance(0.1)
        if isLarge { bytesLeft -= 80_000 }
        return (0..<(isLarge ? 420 : 1 + random.index(9))).map { index in
            if isLarge { return .put(Array("many \(index)".utf8), [UInt8](repeating: UInt8(number & 255), count: 170)) }
            switch random.index(10) {
            case 0..<6: return .put(key(), value())
            case 6..<9: return .delete(key())
            default: return .deleteRange(key(), key())
            }
        }
    }
}
