#if PostgreSQL
import CPostgreSQL
package import TableKit
package import TableSQL

extension PostgresConnection {
    /// Looks a row up. The usual case, a prepared statement alone in its round trip, keeps no list of steps and makes no
    /// value of a cell.
    package func fetchRow(_ lookup: RowLookup, key: [ColumnValue], into row: RowAssembler) throws -> Bool {
        guard isTidy, !link.isInTransaction, let entry = prepared.entry(lookup) else {
            return try fetchRowOfStatement(lookup, key, into: row)
        }
        let number = Self.number(key, lookup)
        if number == nil {
            parameters.removeAll()
            _ = try parameters.append(key: key, lookup.types)
        }
        do {
            return try waiting(nil, isCancellable: true, for: { [lookup.statement(key)] }) { deadline in
                if let number { try send(entry, number) } else { try send(entry, 0..<key.count) }
                return try receive(lookup, entry, key, into: row, &deadline)
            }
        } catch is StalePlan { return try fetchRowOfStatement(lookup, key, into: row) }
    }

    /// The key if it is one integer of 64 bits, which needs no buffer.
    private static func number(_ key: [ColumnValue], _ lookup: RowLookup) -> Int64? {
        guard key.count == 1, lookup.types[0] == .int64, case .integer(let number) = key[0] else { return nil }
        return number
    }

    private func send(_ entry: PreparedStatements.Entry, _ number: Int64) throws {
        let raw = link.raw
        let isSent = withUnsafeBytes(of: number.bigEndian) { bytes in
            var value = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var (length, format) = (Int32(8), Int32(1))
            return entry.cName.withUnsafeBufferPointer { name in
                PQsendQueryPrepared(raw, name.baseAddress, 1, &value, &length, &format, 1)
            }
        }
        guard isSent == 1, PQpipelineSync(raw) == 1 else { throw lost }
    }

    private func send(_ entry: PreparedStatements.Entry, _ range: Range<Int>) throws {
        let raw = link.raw
        let isSent = parameters.withParameters(range) { values, lengths, formats in
            entry.cName.withUnsafeBufferPointer { name in
                PQsendQueryPrepared(raw, name.baseAddress, Int32(range.count), values, lengths, formats, 1)
            }
        }
        guard isSent == 1, PQpipelineSync(raw) == 1 else { throw lost }
    }

    private func receive(
        _ lookup: RowLookup, _ entry: PreparedStatements.Entry, _ key: [ColumnValue], into row: RowAssembler,
        _ deadline: inout AnswerDeadline
    ) throws -> Bool {
        guard let result = try link.nextResult(&deadline) else { throw lost }
        guard result.hasRows else {
            // An error, which the general form interprets.
            link.putBack(result)
            var trip = RoundTrip(self, sent: lookup.statement(key), entry)
            _ = try trip.receive(&deadline)
            return false
        }
        var isFound = false
        var failure: (any Error)?
        do { isFound = try result.firstRow(lookup, entry, into: row) } catch { failure = error }
        // The end of the statement's results, and that of the round trip.
        while let more = try link.nextResult(&deadline) { _ = consume more }
        guard let end = try link.nextResult(&deadline) else { throw lost }
        guard case .synced = end.outcome else {
            // The statement's commit has failed; the general form interprets the error.
            link.putBack(end)
            var trip = RoundTrip(self, [])
            _ = try trip.receive(&deadline)
            throw lost
        }
        if let failure { throw failure }
        return isFound
    }

    private var lost: SQLConnectionError {
        SQLConnectionError(.connectionLost, code: .unavailable, link.message)
    }
}
#endif
