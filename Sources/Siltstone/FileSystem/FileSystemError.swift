/// The failure of one file-system call.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call: open, read, write, sync, rename and so on.
    public var operation: String
    /// The file or directory.
    public var path: String
    /// The operating system's error number.
    public var errorNumber: Int32
    /// The offset in bytes, where the call has one.
    public var offset: Int?
    /// More about it, where more is known: who holds a lock, say.
    public var detail: String?

    /// Creates an error.
    public init(
        _ operation: String, path: String, errorNumber: Int32, offset: Int? = nil, detail: String? = nil
    ) {
        self.operation = operation
        self.path = path
        self.errorNumber = errorNumber
        self.offset = offset
        self.detail = detail
    }

    /// Whether a signal interrupted the call, which is to be made again.
    public var isInterrupted: Bool { errorNumber == Platform.interrupted }
    /// Whether the file or directory does not exist.
    public var isMissing: Bool { errorNumber == Platform.noSuchFile }
    /// Whether the file exists and must not.
    public var isExisting: Bool { errorNumber == Platform.fileExists }
    /// Whether the disk or the quota is full.
    public var isNoSpace: Bool { Platform.isNoSpace(errorNumber) }
    /// Whether the lock is held by another.
    public var isLocked: Bool { operation == "lock" && errorNumber == Platform.wouldBlock }
    /// Whether the file system cannot do that at all.
    public var isUnsupported: Bool { Platform.isUnsupported(errorNumber) }

    /// The call, the path and the reason.
    public var description: String {
        "\(operation) failed: \(Platform.describe(errorNumber))" + (detail.map { " (\($0))" } ?? "") + " [\(path)"
            + (offset.map { ", offset \($0)" } ?? "") + "]"
    }
}

extension StoreError {
    /// The store's view of a failed call.
    init(_ error: FileSystemError) {
        let code: Code
        let advice: String
        if error.isNoSpace {
            (code, advice) = (.noSpace, "; make room and try again, nothing that was acknowledged is lost")
        } else if Platform.isPermission(error.errorNumber) {
            (code, advice) = (.permissionDenied, "; check the owner and the mode of the file and its directory")
        } else if error.isLocked {
            (code, advice) = (.locked, "")
        } else {
            (code, advice) = (.inputOutput, "")
        }
        self.init(
            code,
            "\(error.operation) failed: \(Platform.describe(error.errorNumber))"
                + (error.detail.map { " (\($0))" } ?? "") + advice,
            file: error.path, offset: error.offset, errorNumber: error.errorNumber)
    }
}

extension StoreError {
    /// The same failure, of a step behind which nobody knows what the disk holds. Only this code says so: of a full disk, a
    /// missing right or a refusal it would be taken that nothing was changed.
    var asUncertain: StoreError {
        guard code != .inputOutput else { return self }
        let reason = errorNumber.map { Platform.describe($0) } ?? message
        let advice = code == .noSpace ? "make room and open the store again" : "open the store again"
        return StoreError(
            .inputOutput, "\(reason), and what was written before may or may not be there; \(advice)", file: file,
            offset: offset, errorNumber: errorNumber)
    }
}

extension StoreError {
    /// Whether nobody knows after it what the disk holds: not where the call could not even be begun, or changed nothing.
    var leavesDoubt: Bool { code == .inputOutput && !(errorNumber.map { Platform.isRefusal($0) } ?? false) }
}

/// Runs `body`, and tells a failed call as the store's error.
@inline(__always)
func storeErrors<R>(_ body: () throws(FileSystemError) -> R) throws(StoreError) -> R {
    do { return try body() } catch { throw StoreError(error) }
}
