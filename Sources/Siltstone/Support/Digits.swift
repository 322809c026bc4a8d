extension FixedWidthInteger {
    /// The number with leading zeros, if it has fewer than `count` digits.
    func digits(_ count: Int, radix: Int = 10) -> String {
        let digits = String(self, radix: radix)
        return String(repeating: "0", count: Swift.max(0, count - digits.count)) + digits
    }
}
