/// The name of a file in a store's directory.
///
/// LevelDB and RocksDB have the same names for logs, `CURRENT` and `LOCK`, so a name alone does not prove that a
/// directory holds a store.
enum StoreFile: Hashable, Sendable {
    case log(UInt64)
    case segment(UInt64)
    case values(UInt64)
    case manifest(UInt64)
    /// A file of ``ScratchSpace``. Empty, because it loses its name before it is written.
    case scratch(UInt64)
    /// `CURRENT`, which names the current manifest.
    case current
    /// The temporary file that becomes ``current``.
    case temporaryCurrent
    /// The file that the process locks which has the store open.
    case lock

    /// The largest number of a file. No store reaches it, and a name with a larger number is not the store's. The limit
    /// lets code add to numbers without overflow.
    static let greatestNumber: UInt64 = 1 << 62

    /// The name. Its number has at least six digits, as in LevelDB.
    var name: String {
        switch self {
        case .log(let number): number.digits(6) + ".log"
        case .segment(let number): number.digits(6) + ".segment"
        case .values(let number): number.digits(6) + ".values"
        case .manifest(let number): number.digits(6) + ".manifest"
        case .scratch(let number): number.digits(6) + ".scratch"
        case .current: "CURRENT"
        case .temporaryCurrent: "CURRENT.new"
        case .lock: "LOCK"
        }
    }

    /// Returns the path in `directory`.
    func path(in directory: String) -> String { directory + "/" + name }

    /// Reads a name. Returns nil unless it is exactly as ``name`` writes it, because any other file is not the store's.
    init?(name: String) {
        let file: StoreFile
        switch name {
        case "CURRENT": file = .current
        case "CURRENT.new": file = .temporaryCurrent
        case "LOCK": file = .lock
        default:
            guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), let number = UInt64(name[..<dot]),
                number <= Self.greatestNumber
            else { return nil }
            switch name[dot...] {
            case ".log": file = .log(number)
            case ".segment": file = .segment(number)
            case ".values": file = .values(number)
            case ".manifest": file = .manifest(number)
            case ".scratch": file = .scratch(number)
            default: return nil
            }
        }
        // As bytes: to Swift, the Kelvin sign is equal to a K.
        guard file.name.utf8.elementsEqual(name.utf8) else { return nil }
        self = file
    }

    /// The files in a directory that have a store file's name.
    static func list(in directory: String, _ fileSystem: any FileSystem) throws(StoreError) -> Set<StoreFile> {
        Set(try storeErrors(retrying(fileSystem.entries(of: directory))).compactMap { StoreFile(name: $0) })
    }

    /// The number in the name; nil if it has none.
    var number: UInt64? {
        switch self {
        case .log(let number), .segment(let number), .values(let number), .manifest(let number): number
        // No file of the store's sequence of numbers.
        case .scratch: nil
        case .current, .temporaryCurrent, .lock: nil
        }
    }

    /// The kind in the header of the file; nil for files without a header.
    var headerKind: FileHeader.Kind? {
        switch self {
        case .log: .log
        case .segment: .segment
        case .values: .values
        case .manifest: .manifest
        case .current, .temporaryCurrent, .lock, .scratch: nil
        }
    }
}

extension Set<StoreFile> {
    /// The numbers of the files of a kind, in ascending order.
    func numbers(of kind: FileHeader.Kind) -> [UInt64] {
        filter { $0.headerKind == kind }.compactMap(\.number).sorted()
    }
}
