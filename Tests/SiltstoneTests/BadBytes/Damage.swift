/// Something that happened to the files of a store behind its back.
struct Damage: CustomStringConvertible {
    /// What kind of thing; figures are counted by it.
    enum Kind: String, CaseIterable {
        case bit = "bits flipped"
        case invert = "bytes inverted"
        case zero = "bytes zeroed"
        case cut = "cuts"
        case lengthen = "lengthenings"
        case missing = "files missing"
        case directory = "directories instead"
        case swap = "swaps"
        case misplaced = "misplaced blocks"
        case foreign = "files of another store"
        case older = "older copies"
        case several = "several at once"
    }

    var kind: Kind
    /// What exactly, in words that let it be done again.
    var description: String
    /// What the files concerned are now; nil for one that is gone.
    var changes: [String: StoreFiles.Entry?]

    /// The directory after this has happened to it.
    func applied(to files: StoreFiles) -> StoreFiles {
        var files = files
        for (name, entry) in changes { files.entries[name] = entry }
        return files
    }

    /// The damage of one file that has other bytes now.
    init(_ kind: Kind, _ name: String, _ what: String, _ bytes: [UInt8]) {
        self.init(kind, "\(name): \(what)", [name: .file(bytes)])
    }

    init(_ kind: Kind, _ description: String, _ changes: [String: StoreFiles.Entry?]) {
        self.kind = kind
        self.description = description
        self.changes = changes
    }
}

extension StoreFiles {
    /// The file `name` with the byte at `offset` replaced.
    func flipped(_ kind: Damage.Kind, _ name: String, at offset: Int) -> Damage? {
        guard var bytes = bytes(name) else { return nil }
        let before = bytes[offset]
        switch kind {
        case .bit: bytes[offset] ^= 1 << UInt8(offset % 8)
        case .invert: bytes[offset] ^= 0xff
        default: bytes[offset] = 0
        }
        if bytes[offset] == before { return nil }
        return Damage(kind, name, "byte \(offset) is \(bytes[offset]), was \(before)", bytes)
    }

    /// The file `name` cut to `length` bytes.
    func cut(_ name: String, to length: Int) -> Damage {
        Damage(.cut, name, "cut to \(length) bytes", Array((bytes(name) ?? []).prefix(length)))
    }
}
