@testable import Siltstone

/// A history, fixed before anyone runs it: the same operations on the same keys whatever a store answers.
struct HistoryScript: Sendable {
    /// One operation on a store.
    enum Step: Sendable {
        case put([UInt8], [UInt8])
        case delete([UInt8])
        case deleteRange([UInt8], [UInt8])
        case batch(WriteBatch)
        case insert([UInt8], [UInt8])
        case replace([UInt8], [UInt8])
        case remove([UInt8])
        case compareAndSet([UInt8], expected: [UInt8]?, new: [UInt8]?)
        case get([UInt8])
        case getAll([[UInt8]])
        case scan(from: [UInt8]?, to: [UInt8]?, reverse: Bool, limit: Int?)
        case scanPrefix([UInt8], reverse: Bool)
        case holdSnapshot
        case releaseSnapshot
        case readSnapshots([UInt8])
        case flush
        case compact
        case sync
        case reopen
        case checkpoint
    }

    let steps: [Step]

    /// - Parameters:
    ///   - count: operations.
    ///   - seed: what they are made from.
    init(_ count: Int, seed: UInt64) {
        var maker = Maker(random: SeededGenerator(seed))
        steps = (0..<count).map { _ in maker.step() }
    }

    /// Makes steps one by one.
    private struct Maker {
        var random: SeededGenerator
        /// Values that were put, for comparisons that shall hold now and then.
        private var written: [[UInt8]: [UInt8]] = [:]

        init(random: SeededGenerator) { self.random = random }

        private mutating func key() -> [UInt8] {
            let number = random.index(150)
            switch random.index(10) {
            case 0: return []
            case 1: return [UInt8](repeating: 0xff, count: number % 6)
            case 2: return Array("a long prefix that many keys have in common, longer than a digest/\(number)".utf8)
            case 3: return [UInt8(number), 0, UInt8(number)]
            default: return Array("key\(number)".utf8)
            }
        }

        private mutating func value() -> [UInt8] {
            let length = [0, random.index(60), random.index(200), random.index(1500), 64, random.index(12_000)]
            let count = length[random.index(6)]
            return random.bytes(count / 3) + [UInt8](repeating: UInt8(random.index(256)), count: count - count / 3)
        }

        private mutating func put() -> Step {
            let (key, value) = (key(), value())
            written[key] = value
            return .put(key, value)
        }

        private mutating func batch() -> Step {
            var batch = WriteBatch()
            for _ in 0..<(random.chance(0.05) ? 400 : 1 + random.index(20)) {
                switch random.index(10) {
                case 0: batch.deleteRange(from: key(), to: key())
                case 1, 2: batch.delete(key())
                default: batch.put(key(), value())
                }
            }
            return .batch(batch)
        }

        private mutating func conditional() -> Step {
            let key = key()
            switch random.index(4) {
            case 0: return .insert(key, value())
            case 1: return .replace(key, value())
            case 2: return .remove(key)
            default:
                let expected = random.chance(0.8) ? written[key] : value()
                return .compareAndSet(key, expected: expected, new: random.chance(0.8) ? value() : nil)
            }
        }

        private mutating func scan() -> Step {
            if random.chance(0.3) {
                return .scanPrefix(Array(key().prefix(random.index(6))), reverse: random.chance(0.5))
            }
            return .scan(
                from: random.chance(0.7) ? key() : nil, to: random.chance(0.7) ? key() : nil,
                reverse: random.chance(0.5), limit: random.chance(0.5) ? random.index(20) : nil)
        }

        mutating func step() -> Step {
            switch random.index(200) {
            case 0..<90: put()
            case 90..<105: .delete(key())
            case 105..<109: .deleteRange(key(), key())
            case 109..<120: batch()
            case 120..<140: conditional()
            case 140..<155: .get(key())
            case 155..<158: .getAll((0..<8).map { _ in key() })
            case 158..<176: scan()
            case 176..<180: .holdSnapshot
            case 180..<182: .releaseSnapshot
            case 182..<188: .readSnapshots(key())
            case 188..<193: .flush
            case 193..<195: .compact
            case 195: .sync
            case 196: .checkpoint
            case 197, 198: .reopen
            default: .getAll([])
            }
        }
    }
}
