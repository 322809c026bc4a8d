/// A log up to an offset.
struct LogExtent {
    var path: String
    var number: UInt64
    /// End of its frames, as an offset in bytes.
    var end: Int
}
