/// What went wrong in a store: a code to act on, and a message to show.
///
/// The code is stable and may be switched on; new codes may be added. The message names the file, the offset, what
/// was expected and what to do, wherever these are known.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Raw: String, Sendable {
            case closed, locked, notFound, notAStore, unsupportedFormat, corrupt, inputOutput, noSpace
            case permissionDenied, tooLarge, invalidArgument, readOnly, refusesWrites
            case conflict, transactionEnded
        }

        private let raw: Raw

        /// The store was closed before the call, or while it waited.
        public static var closed: Code { Code(raw: .closed) }
        /// Another process, or another handle of this process, owns the store.
        public static var locked: Code { Code(raw: .locked) }
        /// There is no store at the path, and the call was not allowed to make one.
        public static var notFound: Code { Code(raw: .notFound) }
        /// The path is a file, or a directory that holds something other than a store.
        public static var notAStore: Code { Code(raw: .notAStore) }
        /// The store was written by a newer release, in a format that this one does not know.
        public static var unsupportedFormat: Code { Code(raw: .unsupportedFormat) }
        /// Bytes on disk fail their checksum, or contradict each other.
        public static var corrupt: Code { Code(raw: .corrupt) }
        /// The operating system reported an error for a file operation.
        public static var inputOutput: Code { Code(raw: .inputOutput) }
        /// The disk, or the quota, is full.
        public static var noSpace: Code { Code(raw: .noSpace) }
        /// The process may not read or write a file of the store.
        public static var permissionDenied: Code { Code(raw: .permissionDenied) }
        /// A key, a value or a batch is over its limit. Nothing was changed.
        public static var tooLarge: Code { Code(raw: .tooLarge) }
        /// An argument makes no sense. Nothing was changed.
        public static var invalidArgument: Code { Code(raw: .invalidArgument) }
        /// The store was opened for reading only.
        public static var readOnly: Code { Code(raw: .readOnly) }
        /// An earlier write or sync failed: the store takes no writes until it is opened again.
        public static var refusesWrites: Code { Code(raw: .refusesWrites) }

        /// Another commit changed what the transaction has read, as often as it was tried. Nothing was changed; the
        /// transaction may be run again.
        public static var conflict: Code { Code(raw: .conflict) }
        /// The transaction was committed or rolled back before the call.
        public static var transactionEnded: Code { Code(raw: .transactionEnded) }

        /// The code's name.
        public var description: String { raw.rawValue }
    }

    /// The kind of the failure.
    public var code: Code
    /// What happened, in a sentence or two, with what to do about it.
    public var message: String
    /// The file concerned, where there is one.
    public var file: String?
    /// The offset in ``file`` in bytes, where it is known.
    public var offset: Int?
    /// The operating system's error number, where it reported one.
    public var errorNumber: Int32?

    /// Creates an error.
    public init(_ code: Code, _ message: String, file: String? = nil, offset: Int? = nil, errorNumber: Int32? = nil) {
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.errorNumber = errorNumber
    }

    /// The code, the message and the place, in one line.
    public var description: String {
        var text = "\(code): \(message)"
        if let file { text += " [file \(file)" + (offset.map { ", offset \($0)" } ?? "") + "]" }
        return text
    }
}

extension StoreError {
    /// Whether bytes are wrong, rather than could not be had.
    var isDamage: Bool { code == .corrupt || code == .unsupportedFormat }

    /// Bytes that contradict their checksum or their format, with the one advice that always holds.
    static func corrupt(_ what: String, file: String, offset: Int? = nil) -> StoreError {
        StoreError(.corrupt, what + corruptionAdvice, file: file, offset: offset)
    }

    /// What a text about damage says, for one that tells by itself what to do about it.
    static func withoutAdvice(_ message: String) -> String { message.replacing(corruptionAdvice, with: "") }

    /// What to do about damage.
    static let corruptionAdvice =
        "; run 'silt verify' to see the extent, restore a backup, or salvage with 'silt repair'"
}
