import Synchronization
import TableKit

/// The rows that a session reads from cursors of its connection.
///
/// A stream may be dropped on any thread: beside a statement of another task, or when the connection serves somebody
/// else already. So a dropped stream leaves its rows open, and the session closes them, before its next statement or at
/// its end.
final class OpenRows {
    private var rows: [Int: any SQLRows] = [:]
    private var last = 0
    private let dropped = DroppedRows()

    /// Takes over rows.
    /// - Returns: the rows for a stream.
    func add(_ base: any SQLRows) -> any SQLRows {
        last += 1
        rows[last] = base
        return StreamedRows(base, last, dropped)
    }

    /// Closes the rows of dropped streams.
    func closeDropped() {
        if rows.isEmpty { return }
        for number in dropped.take() { rows.removeValue(forKey: number)?.close() }
    }

    /// Closes all rows. The session ends their streams by its own end.
    func closeAll() {
        for rows in rows.values { rows.close() }
        rows = [:]
    }
}

/// The numbers of rows whose streams are gone.
private final class DroppedRows: Sendable {
    private let numbers = Mutex<[Int]>([])

    func add(_ number: Int) { numbers.withLock { $0.append(number) } }

    func take() -> [Int] {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}

/// Rows that a stream reads and its session closes.
private final class StreamedRows: SQLRows {
    private let base: any SQLRows
    private let number: Int
    private let dropped: DroppedRows

    init(_ base: any SQLRows, _ number: Int, _ dropped: DroppedRows) {
        self.base = base
        self.number = number
        self.dropped = dropped
    }

    deinit { dropped.add(number) }

    func next() throws -> [[ColumnValue]]? { try base.next() }

    func close() { base.close() }
}
