/// A log up to some place.
struct LogExtent {
    var path: String
    var number: UInt64
    /// Where its frames end, in bytes.
    var end: Int
}
