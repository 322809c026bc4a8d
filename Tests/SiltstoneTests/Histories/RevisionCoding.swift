/// Values that tell which revision they are, and that they are whole.
///
/// The length and every byte follow from the revision, so that a value with a torn or foreign part is told from any other.
enum RevisionCoding {
    /// A revision that no write has: what bytes are that no write has written.
    static let damaged: Revision = -1

    /// The value of a revision: some of a few bytes, most of some hundred, some of several thousand.
    static func encode(_ revision: Revision) -> [UInt8] {
        let noise = SeededGenerator.noise(revision)
        let length =
            switch noise % 8 {
            case 0: 0
            case 1: 4000 + Int(noise >> 8) % 3000
            default: 100 + Int(noise >> 8) % 900
            }
        var bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: noise >> 40), count: 8 + length)
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: revision >> (8 * index)) }
        return bytes
    }

    /// The revision of a value; ``Revision/absent`` where there is none, ``damaged`` where no revision has this value.
    static func decode(_ value: [UInt8]?) -> Revision {
        guard let value else { return .absent }
        guard value.count >= 8 else { return damaged }
        var revision = 0
        for index in 0..<8 { revision |= Int(value[index]) << (8 * index) }
        return revision > 0 && encode(revision) == value ? revision : damaged
    }
}

extension SeededGenerator {
    fileprivate static func noise(_ revision: Revision) -> UInt64 {
        var generator = SeededGenerator(UInt64(revision))
        return generator.next()
    }
}
