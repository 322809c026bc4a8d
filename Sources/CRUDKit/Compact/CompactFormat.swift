/// Constants of the compact encoding, which `Docs/Format.md` describes.
enum CompactFormat {
    /// The first byte of every message.
    static let version: UInt8 = 1

    /// The deepest nesting of containers, as in Foundation's JSON. A decoder recurses for each level, on a stack that
    /// may be small.
    static let maximumDepth = 512
}

/// The first byte of a value.
enum CompactTag {
    /// Tags up to this one are the integer itself.
    static let lastSmallInteger: UInt8 = 0x7f
    /// From here to ``lastShortString``: a string whose length is the tag minus this one.
    static let firstShortString: UInt8 = 0x80
    static let lastShortString: UInt8 = 0xbf
    static let null: UInt8 = 0xc0
    static let `false`: UInt8 = 0xc1
    static let `true`: UInt8 = 0xc2
    /// Follows the last element of an array.
    static let end: UInt8 = 0xc3
    static let array: UInt8 = 0xc4
    static let map: UInt8 = 0xc5
    /// A map in which keys may be repeated; the last entry counts.
    static let mapWithRepetition: UInt8 = 0xc6
    static let string: UInt8 = 0xc7
    static let bytes: UInt8 = 0xc8
    /// Followed by the number as a varint.
    static let unsigned: UInt8 = 0xc9
    /// Followed by −1 minus the number, as a varint.
    static let negative: UInt8 = 0xca
    static let float: UInt8 = 0xcb
    static let double: UInt8 = 0xcc
    static let unsigned128: UInt8 = 0xcd
    static let signed128: UInt8 = 0xce
    static let uuid: UInt8 = 0xcf
}

/// The place of a value in its parent.
enum CompactStep {
    case root
    case key(any CodingKey)
    case index(Int)

    /// The place as a coding key.
    var codingKey: (any CodingKey)? {
        switch self {
        case .root: nil
        case .key(let key): key
        case .index(let index): CompactIndexKey(index)
        }
    }
}

/// An array index, or `super`, as a coding key.
struct CompactIndexKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    static let `super` = CompactIndexKey(name: "super")

    init(_ index: Int) {
        stringValue = "Index \(index)"
        intValue = index
    }

    private init(name: String) {
        stringValue = name
        intValue = nil
    }

    init?(stringValue: String) { self.init(name: stringValue) }

    init?(intValue: Int) { self.init(intValue) }
}
