/// How inputs are changed: blindly, or in place and with numbers that are known to hurt, and sealed again most times.
struct FuzzMutation {
    /// Changes bytes blindly, their number too, up to a limit: libFuzzer's own mutations, or in tests ``havoc(_:_:_:)``.
    typealias Blind = (inout [UInt8], _ limit: Int, inout SeededGenerator) -> Void

    private let target: FuzzTarget
    private let blind: Blind

    init(_ target: FuzzTarget, blind: @escaping Blind = FuzzMutation.havoc) {
        self.target = target
        self.blind = blind
    }

    /// Makes another input of one.
    /// - Parameter limit: bytes that it may have.
    func mutate(_ bytes: inout [UInt8], limit: Int, _ random: inout SeededGenerator) {
        if target == .store {
            var bundle = FileBundle(bytes)
            if bundle.files.isEmpty { bundle = FileBundle(FuzzFiles.store) }
            let index = random.index(bundle.files.count)
            let room = max(limit - bytes.count, 0) + bundle.files[index].bytes.count
            change(&bundle.files[index].bytes, limit: room, &random)
            bytes = bundle.encoded()
        } else {
            change(&bytes, limit: limit, &random)
        }
        if !random.chance(0.1) { target.seal(&bytes) }
        if bytes.count > limit { bytes.removeLast(bytes.count - limit) }
    }

    private func change(_ bytes: inout [UInt8], limit: Int, _ random: inout SeededGenerator) {
        for _ in 0...random.index(3) {
            if bytes.isEmpty || random.chance(0.4) {
                blind(&bytes, limit, &random)
            } else {
                Self.overwrite(&bytes, &random)
            }
        }
    }

    /// Overwrites a number in place, so that everything behind it stays where others say that it is.
    private static func overwrite(_ bytes: inout [UInt8], _ random: inout SeededGenerator) {
        let width = [1, 1, 2, 4, 8][random.index(5)]
        guard width <= bytes.count else { return }
        // Fields are aligned more often than not, and the end of a file says more than its middle.
        var offset = random.index(bytes.count - width + 1)
        if random.chance(0.2) { offset = max(0, bytes.count - 1 - random.index(160)) }
        if random.chance(0.5) { offset &= ~(width - 1) }
        offset = min(offset, bytes.count - width)
        let old = Seal.load(bytes, offset, width)
        let near = UInt64(bitPattern: Int64(random.index(17) - 8))
        let interesting: [UInt64] = [
            0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff, 1 << 56, .max, .max >> 1, .max << 8,
            UInt64(bytes.count), random.next(), old &+ near, old &* 2, old ^ (1 << UInt64(random.index(8 * width))),
            0x01ff_ffff_ffff_ffff,
        ]
        Seal.store(interesting[random.index(interesting.count)], into: &bytes, offset, width)
    }

    /// Blind mutations for where there is no libFuzzer.
    static func havoc(_ bytes: inout [UInt8], limit: Int, _ random: inout SeededGenerator) {
        let start = random.index(bytes.count + 1)
        let count = min(1 + random.index(random.chance(0.2) ? 256 : 9), bytes.count - start)
        switch random.index(5) {
        case 0: bytes.removeSubrange(start..<start + count)
        case 1: bytes.insert(contentsOf: random.bytes(1 + random.index(16)), at: start)
        case 2: bytes.insert(contentsOf: Array(bytes[start..<start + count]), at: random.index(bytes.count + 1))
        case 3: bytes.removeLast(min(bytes.count, random.index(64)))
        default: for index in start..<start + count { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        if bytes.count > limit { bytes.removeLast(bytes.count - limit) }
    }
}
