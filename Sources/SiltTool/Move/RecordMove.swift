import CRUDKit
import Foundation
import TableKit

/// The records of a repository, in an order that allows continuing at a position.
enum RecordSource {
    /// A repository outside of the tables, in a store that no other process has open.
    case repository(any RecordRepository)
    /// The table of a repository, read in the same session as all other tables.
    case table(TableStructure, any TableSession)

    /// One record. The position is that of the source.
    struct Record {
        var id: [UInt8]
        var bytes: [UInt8]
        var position: [UInt8]
    }

    private static let pageRecords = 1000

    /// Passes the records after a position to `body`.
    func forEach(after position: [UInt8] = [], isFirst: Bool = true, _ body: (Record) throws -> Void) throws {
        switch self {
        case .repository(let repository):
            var last = isFirst ? nil : String(decoding: position, as: UTF8.self)
            while true {
                let after = last
                let page = try AsyncWork.wait { try await repository.records(after: after, limit: Self.pageRecords) }
                guard let end = page.last else { return }
                for (id, record) in page {
                    try body(Record(id: Array(id.utf8), bytes: Array(record), position: Array(id.utf8)))
                }
                last = end.id
            }
        case .table(let structure, let session):
            guard let id = structure.number(of: "id"), let item = structure.number(of: "item") else { return }
            // MariaDB stores long identifiers beside their shortened keys.
            let whole = structure.number(of: "whole")
            var query = Query(structure)
            query.isDistinct = false
            query.order = [OrderTerm(column: id)]
            if !isFirst { query.predicate = .compare(ColumnReference(column: id), .greater, .bytes(position)) }
            try session.forEachRow(query) { row in
                guard case .bytes(let key) = row[id], case .bytes(let bytes) = row[item] else { return }
                var identifier = key
                if let whole, case .bytes(let value) = row[whole] { identifier = value }
                try body(Record(id: identifier, bytes: bytes, position: key))
            }
        }
    }

    /// The checksum of all records.
    func digest() throws -> ContentDigest {
        var digest = ContentDigest()
        try forEach { digest.add(id: $0.id, record: $0.bytes) }
        return digest
    }
}

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
        // The ledger is updated after the records: those of an interrupted batch may exist.
        var mayExist = entry.phase == .rows
        if !mayExist { try MoveLedger.advance(&entry, engine) { $0.phase = .rows } }
        var batch: [RecordSource.Record] = []
        var bytes = 0
        func flush() throws {
            guard let last = batch.last else { return }
            try store(batch, mayExist: mayExist)
            mayExist = false
            try MoveLedger.advance(&entry, engine) {
                $0.rows += batch.count
                $0.position = last.position
            }
            try committed(batch.count, bytes)
            (batch, bytes) = ([], 0)
        }
        try source.forEach(after: entry.position, isFirst: isFirst) { record in
            digest?.add(id: record.id, record: record.bytes)
            batch.append(record)
            bytes += record.id.count + record.bytes.count
            if batch.count >= batchRecords || bytes >= TableMove.batchBytes { try flush() }
        }
        try flush()
        try MoveLedger.advance(&entry, engine) { ($0.phase, $0.position) = (.done, []) }
        return digest
    }

    private func store(_ batch: [RecordSource.Record], mayExist: Bool) throws {
        let records = batch.map { (id: String(decoding: $0.id, as: UTF8.self), record: Data($0.bytes)) }
        let target = target
        let existing = try AsyncWork.wait { () -> String? in
            guard let existing = try await target.insertRecords(records) else { return nil }
            if !mayExist { return existing }
            for (id, record) in records { try await target.putRecord(record, id: id) }
            return nil
        }
        if let existing {
            throw ToolError(
                .usage,
                "the target has a record '\(existing)' already: another program, or another move, is storing there")
        }
    }
}
