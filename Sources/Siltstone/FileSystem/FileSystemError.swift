/// The failure of one file-system call.
public struct FileSystemError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The call: open, read, write, sync, rename and so on.
    public var operation: String
    /// The file or directory.
    public var path: String
    /// The operating system's error number.
    public var errorNumber: Int32
    /// The offset of the call in bytes; nil if it has none.
    public var offset: Int?
    /// Further information, for example the owner of a lock; nil if there is none.
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

    /// The refusal to take space that the store leaves free (``SpareSpace``).
    static func keptFree(_ path: String, offset: Int) -> FileSystemError {
        FileSystemError(
            "reserve", path: path, errorNumber: Platform.noSpaceError, offset: offset,
            detail: "what is left is kept for flushes and compactions")
    }

    /// True if a signal interrupted the call. Callers repeat every call but a close.
    public var isInterrupted: Bool { errorNumber == Platform.interrupted }
    /// True if the file or directory does not exist.
    public var isMissing: Bool { errorNumber == Platform.noSuchFile }
    /// True if the file exists already.
    public var isExisting: Bool { errorNumber == Platform.fileExists }
    /// True if the disk or the quota is full.
    public var isNoSpace: Bool { Platform.isNoSpace(errorNumber) }
    /// True if another owner holds the lock.
    public var isLocked: Bool { operation == "lock" && errorNumber == Platform.wouldBlock }
    /// True if the path is a FIFO, a socket or a device, and not a regular file.
    public var isSpecialFile: Bool { operation == "open" && errorNumber == Platform.noDeviceOrAddress }
    /// True if the file system does not support the operation at all.
    public var isUnsupported: Bool { Platform.isUnsupported(errorNumber) }

    /// The call, the path and the reason.
    public var description: String {
        "\(reason) [\(path)" + (offset.map { ", offset \($0)" } ?? "") + "]"
    }

    fileprivate var reason: String {
        "\(operation) failed: \(Platform.describe(errorNumber))" + (detail.map { " (\($0))" } ?? "")
    }
}

extension StoreError {
    /// Converts the failure of a call to an error of the store.
    init(_ error: FileSystemError) {
        let (code, advice): (Code, String) =
            if error.isNoSpace {
                (.noSpace, "; make room and try again, nothing that was acknowledged is lost")
            } else if Platform.isPermission(error.errorNumber) {
                (.permissionDenied, "; check the owner and the mode of the file and its directory")
            } else if error.isSpecialFile {
                (.inputOutput, "; a FIFO, socket or device has the name of a file of the store; move it away")
            } else {
                (error.isLocked ? .locked : .inputOutput, "")
            }
        self.init(
            code, error.reason + advice, file: error.path, offset: error.offset, errorNumber: error.errorNumber)
    }

    /// The same failure with the code ``StoreError/Code/inputOutput``, for a step that may have changed files before it
    /// failed. Other codes, such as ``StoreError/Code/noSpace``, tell callers that nothing has changed.
    var asUncertain: StoreError {
        guard code != .inputOutput else { return self }
        let reason = errorNumber.map { Platform.describe($0) } ?? message
        let advice = code == .noSpace ? "make room and open the store again" : "open the store again"
        return StoreError(
            .inputOutput, "\(reason); what was written before may or may not be there; \(advice)", file: file,
            offset: offset, errorNumber: errorNumber)
    }

    /// True if the on-disk state is unknown after the error. False if nothing has changed: another code says so, or the
    /// process could not even open the file (no descriptor left, no permission).
    var leavesDoubt: Bool { code == .inputOutput && !(errorNumber.map { Platform.isRefusal($0) } ?? false) }
}

/// Makes a call, and rethrows its error as an error of the store.
@inline(__always)
func storeErrors<R>(_ call: @autoclosure () throws(FileSystemError) -> R) throws(StoreError) -> R {
    do { return try call() } catch { throw StoreError(error) }
}
