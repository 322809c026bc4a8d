import Foundation

/// What a call on a ``FaultInjectingFileSystem`` meets instead of success.
public enum Fault: Sendable, Hashable {
    /// The call fails with an error number (`errno`), and has done nothing. A file whose closing fails is closed all the
    /// same, as the operating system does it.
    case error(Int32)
    /// The call does its work, then fails with an error number: a renaming that took place and was reported as failed.
    case errorAfterwards(Int32)
    /// A write hands over so many bytes, then fails with an error number. Any other call: as ``error(_:)``.
    case errorAfterPart(Int32, bytes: Int)
    /// A read or a write moves at most so many bytes, and succeeds. A read moves one at least, as none would say that the
    /// file ends there; a write may move none, which POSIX allows. Any other call succeeds as it is.
    case short(Int)

    /// `EIO`: the device fails.
    public static let inputOutput = Fault.error(EIO)
    /// `ENOSPC`: the disk is full.
    public static let noSpace = Fault.error(ENOSPC)
    /// `EDQUOT`: the user's share of the disk is full.
    public static let quotaExceeded = Fault.error(EDQUOT)
    /// `EMFILE`: the process has no descriptor left.
    public static let tooManyFiles = Fault.error(EMFILE)
    /// `EACCES`: the process may not do that.
    public static let accessDenied = Fault.error(EACCES)
    /// `EROFS`: the file system is mounted for reading only.
    public static let readOnlyFileSystem = Fault.error(EROFS)
    /// `EINTR`: a signal came in between; whoever makes the call again will succeed.
    public static let interrupted = Fault.error(EINTR)

    /// The error number of the call's failure; nil where it succeeds.
    public var errorNumber: Int32? {
        switch self {
        case .error(let number), .errorAfterwards(let number), .errorAfterPart(let number, _): number
        case .short: nil
        }
    }
}
