/// A log, and the part of it that verification and change feeds read while the log may grow.
struct LogExtent {
    var path: String
    /// The number in the file's name.
    var number: UInt64
    /// End of its frames, as an offset in bytes.
    var end: Int
}
