/// A failure of a store: a code for programs, and a message for people.
///
/// Codes are stable, so programs can compare them; later releases may add codes. The message names the cause and, if
/// known, the remedy. ``file`` and ``offset`` give the place; ``description`` has all.
public struct StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Raw: String, Sendable {
            case closed, locked, notFound, notAStore, unsupportedFormat, corrupt, inputOutput, noSpace
            case permissionDenied, tooLarge, invalidArgument, readOnly, refusesWrites
            case conflict, transactionEnded
        }

        private let raw: Raw

        /// The store was closed before the call, or while the call waited; or the snapshot was released.
        public static var closed: Code { Code(raw: .closed) }
        /// Another process has the store open, or another handle of this process.
        public static var locked: Code { Code(raw: .locked) }
        /// There is no store at the path, and the call may not create one; or the parent directory does not exist.
        public static var notFound: Code { Code(raw: .notFound) }
        /// The path is a file, or a directory that holds something other than a store.
        public static var notAStore: Code { Code(raw: .notAStore) }
        /// The store was written by a newer release, in a format that this release does not know.
        public static var unsupportedFormat: Code { Code(raw: .unsupportedFormat) }
        /// Bytes on disk do not match their checksum or contradict each other, or a file is missing.
        public static var corrupt: Code { Code(raw: .corrupt) }
        /// An operating system call failed, or a write may have been made although the call failed: its changes may or
        /// may not be there.
        public static var inputOutput: Code { Code(raw: .inputOutput) }
        /// The disk or the quota is full.
        public static var noSpace: Code { Code(raw: .noSpace) }
        /// The process may not read or write a file of the store.
        public static var permissionDenied: Code { Code(raw: .permissionDenied) }
        /// A key, a value or a batch exceeds its limit. Nothing was changed.
        public static var tooLarge: Code { Code(raw: .tooLarge) }
        /// An argument is not valid. Nothing was changed.
        public static var invalidArgument: Code { Code(raw: .invalidArgument) }
        /// The store was opened for reading only.
        public static var readOnly: Code { Code(raw: .readOnly) }
        /// An earlier write or sync failed. The store refuses writes until it is opened again.
        public static var refusesWrites: Code { Code(raw: .refusesWrites) }

        /// In every attempt, another commit changed a key or range that the transaction had read or, under snapshot
        /// isolation, written. Nothing was changed. The transaction may be run again.
        public static var conflict: Code { Code(raw: .conflict) }
        /// The transaction was committed or rolled back before the call.
        public static var transactionEnded: Code { Code(raw: .transactionEnded) }

        /// The code's name.
        public var description: String { raw.rawValue }
    }

    /// The kind of failure.
    public var code: Code
    /// What happened and what to do about it, in one or two sentences.
    public var message: String
    /// The file, if one is concerned.
    public var file: String?
    /// The offset in ``file`` in bytes, if it is known.
    public var offset: Int?
    /// The operating system's error number, if it reported one.
    public var errorNumber: Int32?

    /// Creates an error.
    public init(_ code: Code, _ message: String, file: String? = nil, offset: Int? = nil, errorNumber: Int32? = nil) {
        self.code = code
        self.message = message
        self.file = file
        self.offset = offset
        self.errorNumber = errorNumber
    }

    /// The code, the message and the position, in one line.
    public var description: String {
        var text = "\(code): \(message)"
        if let file { text += " [file \(file)" + (offset.map { ", offset \($0)" } ?? "") + "]" }
        return text
    }
}

extension StoreError {
    /// Whether bytes that were read are corrupt, or have a format that this release does not know.
    var isDamage: Bool { code == .corrupt || code == .unsupportedFormat }

    /// Makes a read.
    /// - Returns: its result; nil if what it has read is damaged.
    /// - Throws: its other errors.
    static func unlessDamaged<R>(_ read: @autoclosure () throws(StoreError) -> R) throws(StoreError) -> R? {
        do { return try read() } catch {
            guard error.isDamage else { throw error }
            return nil
        }
    }

    /// Creates an error for bytes that contradict their checksum or their format. Adds the general advice for
    /// corruption.
    static func corrupt(_ what: String, file: String, offset: Int? = nil) -> StoreError {
        StoreError(.corrupt, what + corruptionAdvice, file: file, offset: offset)
    }

    /// Removes the general advice from a message. Callers that give their own advice use this.
    static func withoutAdvice(_ message: String) -> String { message.replacing(corruptionAdvice, with: "") }

    /// The general advice for corruption.
    static let corruptionAdvice =
        "; run 'silt verify' to see the extent, restore a backup, or salvage with 'silt repair'"
}
