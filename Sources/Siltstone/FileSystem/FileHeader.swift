/// The first 64 bytes of every binary file of a store (`Docs/Format.md`, "The file header").
struct FileHeader: Hashable, Sendable {
    /// Bytes of the header.
    static let size = 64
    /// The format version that this release writes, and the largest that it reads.
    static let version: UInt32 = 1

    /// The purpose of a file; the raw value is the magic number at its start.
    enum Kind: String, Sendable {
        case log = "SILTLOG\n"
        case segment = "SILTSEG\n"
        case values = "SILTVAL\n"
        case manifest = "SILTMAN\n"
    }

    var kind: Kind
    /// Features without which the file cannot be read correctly. A file with an unknown bit is refused.
    var incompatibleFeatures: UInt32 = 0
    /// Features that a reader may ignore.
    var compatibleFeatures: UInt32 = 0
    /// The store that the file belongs to.
    var store: StoreIdentity
    /// The file's number, which is also in its name.
    var number: UInt64
    /// A parameter whose meaning depends on the kind; 0 in kinds that have none.
    var parameter: UInt64 = 0
}

extension FileHeader {
    /// Returns the encoding.
    func encoded() -> [UInt8] {
        var bytes = Array(kind.rawValue.utf8)
        bytes.append(integer: Self.version)
        bytes.append(integer: incompatibleFeatures)
        bytes.append(integer: compatibleFeatures)
        bytes.append(integer: UInt32(0))
        bytes.append(integer: store.high)
        bytes.append(integer: store.low)
        bytes.append(integer: number)
        bytes.append(integer: parameter)
        bytes.append(integer: UInt32(0))
        bytes.append(integer: bytes.withBytes { CRC32.checksum($0) })
        return bytes
    }

    /// The header's checksum, to which the first frame of a log is chained.
    var checksum: UInt32 { encoded().withBytes { $0.integer(at: Self.size - 4) ?? 0 } }

    /// Reads and checks the header at the start of `bytes`.
    /// - Parameters:
    ///   - store: the store that the file must belong to; nil if it is not known.
    ///   - number: the number in the file's name.
    ///   - knownFeatures: the incompatible features that the caller can handle.
    /// - Throws: ``StoreError/Code/corrupt`` or ``StoreError/Code/unsupportedFormat``, naming `path`.
    init(
        _ bytes: Bytes, kind: Kind, store: StoreIdentity?, number: UInt64, path: String, knownFeatures: UInt32 = 0
    ) throws(StoreError) {
        try self.init(anyOwner: bytes, kind: kind, path: path, knownFeatures: knownFeatures)
        try checkOwner(store: store, number: number, path: path)
    }

    /// Reads and checks the header at the start of `bytes`, but accepts any store and number.
    /// - Throws: as ``init(_:kind:store:number:path:knownFeatures:)``.
    init(anyOwner bytes: Bytes, kind: Kind, path: String, knownFeatures: UInt32 = 0) throws(StoreError) {
        guard bytes.count >= Self.size, let header = bytes.slice(0, Self.size) else {
            throw .corrupt("the file is shorter than its header", file: path, offset: bytes.count)
        }
        guard header.prefix(8).elementsEqual(kind.rawValue.utf8) else {
            throw .corrupt("the file does not begin as a \(kind) file", file: path, offset: 0)
        }
        guard let stored: UInt32 = header.integer(at: 60),
            stored == CRC32.checksum(Bytes(rebasing: header[..<60])),
            let version: UInt32 = header.integer(at: 8), let incompatible: UInt32 = header.integer(at: 12),
            let compatible: UInt32 = header.integer(at: 16), let high: UInt64 = header.integer(at: 24),
            let low: UInt64 = header.integer(at: 32), let number: UInt64 = header.integer(at: 40),
            let parameter: UInt64 = header.integer(at: 48)
        else { throw .corrupt("the file header fails its checksum", file: path, offset: 60) }
        guard version <= Self.version, version > 0, incompatible & ~knownFeatures == 0 else {
            throw StoreError(
                .unsupportedFormat,
                "the file has format version \(version) with features \(incompatible), this release reads version "
                    + "\(Self.version); open the store with a newer release",
                file: path, offset: 8)
        }
        self.init(
            kind: kind, incompatibleFeatures: incompatible, compatibleFeatures: compatible,
            store: StoreIdentity(high: high, low: low), number: number, parameter: parameter)
    }

    /// Checks that the file belongs to `store`, unless that is nil, and has the number `number`.
    /// - Throws: ``StoreError/Code/corrupt``, naming `path`.
    func checkOwner(store: StoreIdentity?, number: UInt64, path: String) throws(StoreError) {
        guard store == nil || store == self.store else {
            throw .corrupt("the file belongs to another store", file: path, offset: 24)
        }
        guard number == self.number else {
            throw .corrupt(
                "the file says that its number is \(self.number), its name says \(number)", file: path, offset: 40)
        }
    }
}

/// 128 random bits that a store gets when it is created. Its checkpoints have the same, all other stores have others.
struct StoreIdentity: Hashable, Sendable, CustomStringConvertible {
    var high: UInt64
    var low: UInt64

    /// Returns a new identity.
    static func random() -> StoreIdentity {
        var generator = SystemRandomNumberGenerator()
        return StoreIdentity(high: generator.next(), low: generator.next())
    }

    /// 32 hexadecimal digits.
    var description: String { high.digits(16, radix: 16) + low.digits(16, radix: 16) }
}
