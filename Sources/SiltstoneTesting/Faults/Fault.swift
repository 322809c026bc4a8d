import Foundation

/// The fault that a call on a ``FaultInjectingFileSystem`` meets.
public enum Fault: Sendable, Hashable {
    /// The call fails with an error number (`errno`) and does nothing. A failed close closes the file anyway, as the
    /// operating system does.
    case error(Int32)
    /// The call does its work, then fails with an error number, such as a rename that is done but reported as failed.
    case errorAfterwards(Int32)
    /// A write stores this many bytes, then fails with an error number. Other calls: like ``error(_:)``.
    case errorAfterPart(Int32, bytes: Int)
    /// A read or a write transfers at most this many bytes and succeeds. A read transfers at least one byte, because
    /// none would mean the end of the file. A write may transfer none, as POSIX allows. Other calls succeed normally.
    case short(Int)

    /// `EIO`: the device fails.
    public static let inputOutput = Fault.error(EIO)
    /// `ENOSPC`: the disk is full.
    public static let noSpace = Fault.error(ENOSPC)
    /// `EDQUOT`: the user's disk quota is exhausted.
    public static let quotaExceeded = Fault.error(EDQUOT)
    /// `EMFILE`: the process has no free descriptor.
    public static let tooManyFiles = Fault.error(EMFILE)
    /// `EACCES`: permission denied.
    public static let accessDenied = Fault.error(EACCES)
    /// `EROFS`: the file system is mounted read-only.
    public static let readOnlyFileSystem = Fault.error(EROFS)
    /// `EINTR`: a signal interrupted the call; a repetition can succeed.
    public static let interrupted = Fault.error(EINTR)

    /// The error number of the failed call; nil if it succeeds.
    public var errorNumber: Int32? {
        switch self {
        case .error(let number), .errorAfterwards(let number), .errorAfterPart(let number, _): number
        case .short: nil
        }
    }
}
