/// An error of the target, marked so that the report tells it from one of the source.
struct TargetError: Error {
    let cause: any Error

    /// Runs `body`, which uses the target only, and marks its errors. Those of the tool itself need no mark.
    static func marking<R>(_ body: () throws -> R) throws -> R {
        do { return try body() } catch let error as ToolError { throw error } catch {
            throw TargetError(cause: error)
        }
    }
}
