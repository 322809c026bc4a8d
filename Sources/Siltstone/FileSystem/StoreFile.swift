/// The name of a file in a store's directory.
enum StoreFile: Hashable, Sendable {
    case log(UInt64)
    case segment(UInt64)
    case values(UInt64)
    case manifest(UInt64)
    /// Names the manifest in force.
    case current
    /// ``current`` in the making.
    case currentInTheMaking
    /// Locked by the owner.
    case lock

    /// No store counts so far; a name with a greater number is foreign. So that numbers can be added to.
    static let greatestNumber: UInt64 = 1 << 62

    /// The name, six digits at least.
    var name: String {
        switch self {
        case .log(let number): Self.numbered(number, "log")
        case .segment(let number): Self.numbered(number, "segment")
        case .values(let number): Self.numbered(number, "values")
        case .manifest(let number): Self.numbered(number, "manifest")
        case .current: "CURRENT"
        case .currentInTheMaking: "CURRENT.new"
        case .lock: "LOCK"
        }
    }

    /// The path in `directory`.
    func path(in directory: String) -> String { directory + "/" + name }

    private static func numbered(_ number: UInt64, _ suffix: String) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits + "." + suffix
    }

    /// Reads a name, strictly: what is not written exactly as ``name`` writes it is a foreign file, and nil.
    init?(name: String) {
        let file: StoreFile
        switch name {
        case "CURRENT": file = .current
        case "CURRENT.new": file = .currentInTheMaking
        case "LOCK": file = .lock
        default:
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = UInt64(parts[0]), number <= Self.greatestNumber else { return nil }
            switch parts[1] {
            case "log": file = .log(number)
            case "segment": file = .segment(number)
            case "values": file = .values(number)
            case "manifest": file = .manifest(number)
            default: return nil
            }
        }
        guard file.name == name else { return nil }
        self = file
    }

    /// The number in the name, where there is one.
    var number: UInt64? {
        switch self {
        case .log(let number), .segment(let number), .values(let number), .manifest(let number): number
        case .current, .currentInTheMaking, .lock: nil
        }
    }

    /// What the header of the file says that it is; nil for files without one.
    var headerKind: FileHeader.Kind? {
        switch self {
        case .log: .log
        case .segment: .segment
        case .values: .values
        case .manifest: .manifest
        case .current, .currentInTheMaking, .lock: nil
        }
    }
}
