import CRUDKit
import Foundation
import TableKit

/// Copies the records of one repository, in batches.
struct RecordMove {
    /// The most records in a transaction.
    static let batchRecords = 1000

    let source: RecordSource
    let target: any RecordRepository
    /// The engine of the ledger.
    let engine: any TableEngine
    /// The most records in a transaction.
    var batchRecords = Self.batchRecords
    /// Called after each commit, with its records and their bytes.
    var committed: (Int, Int) throws -> Void = { _, _ in }

    /// Copies the records, continuing at the position of `entry`.
    /// - Returns: the checksum of the source's records; nil if an earlier run copied some of them.
    func run(_ entry: inout MoveLedger.Entry) throws -> ContentDigest? {
        if entry.phase == .done { return nil }
        let isFirst = entry.rows == 0
        var digest = isFirst && entry.phase == .waiting ? ContentDigest() : nil
        // The ledger is updated after the records: those of an interrupted batch may exist. They may be in any batch of
        // this run, because the source may have got others among them since.
        let mayExist = entry.phase == .rows
        if !mayExist { try advance(&entry) { $0.phase = .rows } }
        var batch: [RecordSource.Record] = []
        var bytes = 0
        func flush() throws {
            guard let last = batch.last else { return }
            try TargetError.marking { try store(batch, mayExist: mayExist) }
            try advance(&entry) {
                $0.rows += batch.count
                $0.position = last.position
            }
            try committed(batch.count, bytes)
            (batch, bytes) = ([], 0)
        }
        try source.forEach(after: entry.position, isFirst: isFirst) { record in
            digest?.add(id: record.id, record: record.bytes)
            let size = record.id.count + record.bytes.count
            // Before the record: a large one behind small ones would exceed the longest statement of a server.
            if batch.count >= batchRecords || bytes + size > TableMove.batchBytes { try flush() }
            batch.append(record)
            bytes += size
        }
        try flush()
        try advance(&entry) { ($0.phase, $0.position) = (.done, []) }
        return digest
    }

    private func advance(_ entry: inout MoveLedger.Entry, _ change: (inout MoveLedger.Entry) -> Void) throws {
        try TargetError.marking { try MoveLedger.advance(&entry, engine, change) }
    }

    private func store(_ batch: [RecordSource.Record], mayExist: Bool) throws {
        var records = batch.map { (id: String(decoding: $0.id, as: UTF8.self), record: Data($0.bytes)) }
        guard var existing = try insert(records) else { return }
        if mayExist {
            records = try missing(records)
            guard !records.isEmpty, let other = try insert(records) else { return }
            existing = other
        }
        throw ToolError(
            .usage,
            "the target has a record '\(existing)' already: another program, or another move, is storing there")
    }

    /// Stores all records or none.
    /// - Returns: an identifier that exists; nil if all were stored.
    private func insert(_ records: [(id: String, record: Data)]) throws -> String? {
        let target = target
        return try AsyncWork.wait { try await target.insertRecords(records) }
    }

    /// The records that the target does not have.
    /// - Throws: ``ToolError`` if one of them is there with other bytes: a program has changed it since.
    private func missing(_ records: [(id: String, record: Data)]) throws -> [(id: String, record: Data)] {
        let target = target
        return try records.filter { id, record in
            guard let found = try AsyncWork.wait({ try await target.record(id: id) }) else { return true }
            if found == record { return false }
            throw ToolError(
                .usage,
                "the target has a record '\(id)' with other contents: a program has changed it since the move was "
                    + "interrupted. Remove it there to go on, or begin anew by --restart")
        }
    }
}
