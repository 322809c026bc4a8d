extension Sequence<UInt8> {
    /// Two lower-case hexadecimal digits for each byte.
    package var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
