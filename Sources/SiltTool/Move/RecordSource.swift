import CRUDKit
import SiltstoneCRUD
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
            let last = isFirst ? nil : String(decoding: position, as: UTF8.self)
            if let repository = repository as? SiltstoneRepository {
                try Self.forEach(repository, last, body)
            } else {
                try Self.forEach(repository, last, body)
            }
        case .table(let structure, let session):
            guard let id = structure.number(of: "id"), let item = structure.number(of: "item") else { return }
            // MariaDB stores long identifiers beside their shortened keys.
            let whole = structure.number(of: "whole")
            var reader = RowReader(structure: structure, session: session)
            if !isFirst {
                var last = [ColumnValue](repeating: .null, count: structure.columns.count)
                last[id] = .bytes(position)
                reader.last = last
            }
            try reader.forEach { row in
                guard case .bytes(let key) = row[id], case .bytes(let bytes) = row[item] else { return }
                var identifier = key
                if let whole, case .bytes(let value) = row[whole] { identifier = value }
                try body(Record(id: identifier, bytes: bytes, position: key))
            }
        }
    }

    /// Reads the records of a store one by one: only one is in memory.
    private static func forEach(
        _ repository: SiltstoneRepository, _ last: String?, _ body: (Record) throws -> Void
    ) throws {
        var last = last
        while true {
            let ids = try repository.ids(after: last, limit: pageRecords)
            guard let end = ids.last else { return }
            for id in ids {
                guard let record = try repository.record(id: id) else { continue }
                try body(Record(id: Array(id.utf8), bytes: Array(record), position: Array(id.utf8)))
            }
            last = end
        }
    }

    /// Reads records in pages: one record a round trip would be slow.
    private static func forEach(
        _ repository: any RecordRepository, _ last: String?, _ body: (Record) throws -> Void
    ) throws {
        var limit = PageLimit(most: pageRecords)
        var last = last
        while true {
            let (after, count) = (last, limit.count)
            let page = try AsyncWork.wait { try await repository.records(after: after, limit: count) }
            guard let end = page.last else { return }
            var largest = 0
            for (id, record) in page {
                largest = max(largest, id.utf8.count + record.count)
                try body(Record(id: Array(id.utf8), bytes: Array(record), position: Array(id.utf8)))
            }
            limit.adapt(largest: largest)
            last = end.id
        }
    }

    /// The checksum of all records.
    func digest() throws -> ContentDigest {
        var digest = ContentDigest()
        try forEach { digest.add(id: $0.id, record: $0.bytes) }
        return digest
    }
}
