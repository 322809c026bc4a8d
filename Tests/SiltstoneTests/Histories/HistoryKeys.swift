/// The few keys of a history, and those around them that only make the store bigger.
enum HistoryKeys {
    static let count = 12
    static let all = 0..<count

    /// The bytes of a key of the history.
    static func bytes(_ index: Int) -> [UInt8] { key(index) }

    /// A key that is none of the history's and lies behind one of them.
    static func filler(behind index: Int, _ number: Int) -> [UInt8] { key(index) + [0x2f, UInt8(number & 0xff)] }

    /// The index of a key of the history; nil for any other key.
    static func index(_ bytes: [UInt8]) -> Int? {
        bytes.count == key(0).count ? all.first { key($0) == bytes } : nil
    }

    /// How many keys of the history are not greater than these bytes.
    static func countUpTo(_ bytes: [UInt8]) -> Int { all.count { !bytes.precedes(key($0)) } }
}
