#if PEER_SQLITE
import CSQLite
import Foundation

/// What rows of several types need.
extension SQLiteStatement {
    /// Binds a number.
    @inline(__always)
    func bind(_ position: CInt, _ number: Double) { sqlite3_bind_double(handle, position, number) }

    /// Binds NULL.
    @inline(__always)
    func bindNull(_ position: CInt) { sqlite3_bind_null(handle, position) }

    /// Binds a copy of a string.
    @inline(__always)
    func bindCopy(_ position: CInt, _ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            let nothing: StaticString = ""
            let start = UnsafeRawPointer(utf8.baseAddress ?? nothing.utf8Start).assumingMemoryBound(to: CChar.self)
            // SQLITE_TRANSIENT, a macro that the importer leaves out.
            sqlite3_bind_text(
                handle, position, start, CInt(utf8.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
        }
    }

    @inline(__always)
    func integer(_ number: CInt) -> Int { Int(sqlite3_column_int64(handle, number)) }

    @inline(__always)
    func real(_ number: CInt) -> Double { sqlite3_column_double(handle, number) }

    @inline(__always)
    func date(_ number: CInt) -> Date { Date(timeIntervalSinceReferenceDate: real(number)) }

    @inline(__always)
    func isNull(_ number: CInt) -> Bool { sqlite3_column_type(handle, number) == SQLITE_NULL }

    @inline(__always)
    func text(_ number: CInt) -> String {
        let start = sqlite3_column_text(handle, number)
        let bytes = UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, number)))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The names of the columns, in order.
    var columnNames: [String] {
        (0..<sqlite3_column_count(handle)).map { sqlite3_column_name(handle, $0).map { String(cString: $0) } ?? "" }
    }

    /// The first six columns as a row of the main table.
    @inline(__always)
    func player() -> Player {
        Player(
            id: integer(0), name: text(1), group: integer(2), score: real(3), created: date(4),
            note: isNull(5) ? nil : text(5))
    }

    /// Four columns as a child.
    @inline(__always)
    func member(from first: CInt) -> Member {
        Member(id: integer(first), teamId: integer(first + 1), name: text(first + 2), score: real(first + 3))
    }
}
#endif
