/// What an attack with other processes has found; thrown rather than recorded on the spot, as it is found on threads that
/// belong to no test.
struct CrashFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }

    /// Throws where a promise is not kept.
    static func require(_ condition: Bool, _ promise: @autoclosure () -> String) throws(CrashFailure) {
        if !condition { throw CrashFailure(promise()) }
    }
}
