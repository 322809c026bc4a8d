/// The kind of a statement, by its first words.
package enum StatementVerb: Hashable, Sendable {
    case begin, commit, rollback, rollbackToSavepoint, savepoint
    /// Commits nothing even outside of a transaction: SELECT, SET, cursors.
    case read
    case other

    /// Classifies a statement. Allocates nothing.
    package init(_ text: String) {
        var text = text
        self = text.withUTF8 { unsafe Self.verb($0) }
    }

    private static func verb(_ text: UnsafeBufferPointer<UInt8>) -> StatementVerb {
        var position = 0
        switch unsafe word(text, &position) {
        case Word.begin, Word.start: return .begin
        case Word.commit, Word.end: return .commit
        case Word.savepoint, Word.release: return .savepoint
        case Word.rollback, Word.abort:
            var next = unsafe word(text, &position)
            if next == Word.work || next == Word.transaction { next = unsafe word(text, &position) }
            return next == Word.to ? .rollbackToSavepoint : .rollback
        case Word.select, Word.show, Word.values, Word.fetch, Word.explain, Word.set, Word.declare, Word.close,
            Word.deallocate:
            return .read
        default: return .other
        }
    }

    /// Whether the statement controls a transaction. Preparing it is useless: the server plans nothing for it.
    package var isControl: Bool { self != .other && self != .read }

    /// Whether a cancellation may end the statement. A commit may have taken place. The rest of a transaction relies on
    /// its savepoints and rollbacks, which are quick. BEGIN may wait for other nodes of a cluster.
    package var isCancellable: Bool {
        switch self {
        case .commit, .rollback, .rollbackToSavepoint, .savepoint: false
        case .begin, .read, .other: true
        }
    }

    /// The first eight letters of the next word, in lower case, as one number.
    private static func word(_ text: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> UInt64 {
        func letter() -> UInt64? {
            guard position < text.count else { return nil }
            let byte = unsafe text[position] | 0x20
            return byte >= 0x61 && byte <= 0x7a ? UInt64(byte) : nil
        }
        while position < text.count, letter() == nil { position += 1 }
        var word: UInt64 = 0
        while let letter = letter() {
            if word < 1 << 56 { word = word << 8 | letter }
            position += 1
        }
        return word
    }

    /// Whether these statements may have committed, if they were sent together and got no answer.
    /// - Parameter inTransaction: whether a transaction was open before them.
    package static func mayCommit(_ statements: some Sequence<SQLStatement>, inTransaction: Bool) -> Bool {
        var isOpen = inTransaction
        for statement in statements {
            switch StatementVerb(statement.text) {
            case .begin: isOpen = true
            case .commit: return true
            case .rollback: isOpen = false
            case .rollbackToSavepoint, .savepoint, .read: break
            // Outside of a transaction each statement commits itself.
            case .other: if !isOpen { return true }
            }
        }
        return false
    }
}

/// The first words of statements, as numbers of up to eight letters.
private enum Word {
    private static func number(_ word: StaticString) -> UInt64 {
        (0..<min(word.utf8CodeUnitCount, 8)).reduce(0) { unsafe $0 << 8 | UInt64(word.utf8Start[$1]) }
    }

    static let begin = number("begin")
    static let start = number("start")
    static let commit = number("commit")
    static let end = number("end")
    static let savepoint = number("savepoint")
    static let release = number("release")
    static let rollback = number("rollback")
    static let abort = number("abort")
    static let work = number("work")
    static let transaction = number("transaction")
    static let to = number("to")
    static let select = number("select")
    static let show = number("show")
    static let values = number("values")
    static let fetch = number("fetch")
    static let explain = number("explain")
    static let set = number("set")
    static let declare = number("declare")
    static let close = number("close")
    static let deallocate = number("deallocate")
}
