/// How an index becomes a key.
enum KeySpace: String, CaseIterable, Codable, Sendable {
    /// 16 decimal digits, as db_bench's: keys are in the order of their indices, as are those below.
    case decimal
    /// "user" and 20 decimal digits of a hash, as YCSB's: neighbours are strangers.
    case hashed
    /// 8 bytes: a number, the highest byte first.
    case binary
    /// 10 to 200 bytes: 100 neighbours share all but their last two digits, and their length.
    case paths
    /// 200 bytes: 184 that all keys share, and 16 decimal digits.
    case long

    /// Bytes of the longest key.
    static let longestBytes = 200

    /// One line for the reports.
    var summary: String {
        switch self {
        case .decimal: "keys of 16 digits"
        case .hashed: "keys of 24 bytes, hashed"
        case .binary: "keys of 8 bytes, binary"
        case .paths: "keys of 10 to 200 bytes, 100 neighbours share a prefix"
        case .long: "keys of 200 bytes, 184 of them shared by all"
        }
    }

    /// Bytes of a key on the average.
    var keyBytes: Int {
        switch self {
        case .decimal: 16
        case .hashed: 24
        case .binary: 8
        case .paths: 105
        case .long: 200
        }
    }
}
