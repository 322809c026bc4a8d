/// The first byte of each value in a key. Tags sort as the kinds of `ColumnValue.order`. No tag is 00 or FF.
enum KeyTag {
    static let null: UInt8 = 0x05
    /// The integer 0. Positive integers of n bytes have this tag plus n, negative ones this tag minus n.
    static let zero: UInt8 = 0x14
    static let real: UInt8 = 0x21
    static let no: UInt8 = 0x26
    static let yes: UInt8 = 0x27
    static let date: UInt8 = 0x28
    static let uuid: UInt8 = 0x30
    static let text: UInt8 = 0x40
    static let bytes: UInt8 = 0x41
    /// JSON is never in a key. The tag exists so that every value has an encoding.
    static let json: UInt8 = 0x42

    /// The tags of integers.
    static let integers: ClosedRange<UInt8> = (zero - 8)...(zero + 8)
}
