import Siltstone
import TableKit

/// Checks the rows of tables against their indexes and foreign keys.
struct TableVerification {
    private let snapshot: Snapshot
    private let catalogue: Catalogue
    private(set) var problems: [String] = []

    /// The maximum number of reported problems. A store with more is damaged throughout.
    private static let mostProblems = 1_000

    init(_ snapshot: Snapshot, _ catalogue: Catalogue) {
        self.snapshot = snapshot
        self.catalogue = catalogue
    }

    /// Checks the rows of a table, its indexes, and its foreign keys.
    mutating func verify(_ table: TableDescription) throws {
        let plan = catalogue.writePlan(table)
        var problems: [String] = []
        var checker = RowChecker(snapshot, plan)
        try snapshot.forEach(prefix: table.rowPrefix) { key, row in
            do { try checker.check(key, row, &problems) } catch let error as CRUDDecoderError {
                problems.append("\(checker.name(key)): \(error.message)")
            }
            return problems.count < TableVerification.mostProblems
        }
        for index in table.indexes where index.isReady { try verify(index, of: plan, &problems) }
        self.problems += problems.prefix(TableVerification.mostProblems - self.problems.count)
    }

    /// Checks that each entry of an index belongs to a row.
    private func verify(_ index: TableDescription.Index, of plan: TableWritePlan, _ problems: inout [String]) throws {
        var checker = EntryChecker(snapshot, plan, index)
        try snapshot.forEach(prefix: index.prefix) { key, pointer in
            do { try checker.check(key, pointer, &problems) } catch let error as CRUDDecoderError {
                problems.append("Index \(index.description.name): \(error.message)")
            }
            return problems.count < TableVerification.mostProblems
        }
    }
}

/// Checks a row's key and NULLs, its index entries, and the rows that it refers to.
private struct RowChecker: ~Copyable {
    private let snapshot: Snapshot
    private let plan: TableWritePlan
    private let entry = KeyEncoder()

    init(_ snapshot: Snapshot, _ plan: TableWritePlan) {
        self.snapshot = snapshot
        self.plan = plan
    }

    func name(_ key: RawSpan) -> String {
        var text = "damaged key"
        do {
            text = try KeyDecoder.values(in: key, from: plan.table.rowPrefix.count).map(\.readable)
                .joined(separator: ", ")
        } catch {
            // `text` already says so.
        }
        return "Table \(plan.table.name), row \(text)"
    }

    mutating func check(_ key: RawSpan, _ row: RawSpan, _ problems: inout [String]) throws {
        let shape = try plan.columns(of: row)
        try checkKey(key, row, shape, &problems)
        for (column, place) in zip(plan.table.columns, shape) {
            if case .slot(let slot) = place, try slot.value(in: row).isNull, !column.column.isOptional {
                problems.append("\(name(key)): column \(column.column.name) is NULL and cannot be.")
            }
        }
        for index in plan.table.indexes where index.isReady {
            let prefix = plan.table.rowPrefix.count
            let found: Bool? = try unsafe key.extracting(prefix..<key.byteCount).withUnsafeBytes { key in
                let isKeyless = try unsafe RowWriter.makeEntry(entry, index, of: row, shape, key: key)
                guard let value = try unsafe entry.withBytes({ try unsafe snapshot.get($0) }) else { return nil }
                return unsafe isKeyless ? value.elementsEqual(key) : value.isEmpty
            }
            if found == nil {
                problems.append("\(name(key)): index \(index.description.name) lacks the entry of the row.")
            } else if found == false {
                problems.append(
                    "\(name(key)): unique index \(index.description.name) has the row's values for another row.")
            }
        }
        for reference in plan.outgoing { try check(reference, key, row, shape, &problems) }
    }

    private mutating func checkKey(
        _ key: RawSpan, _ row: RawSpan, _ shape: [ShapeColumn], _ problems: inout [String]
    ) throws {
        if plan.table.primaryKey.isEmpty { return }
        entry.reset(to: plan.table.rowPrefix)
        for column in plan.table.primaryKey { _ = try entry.append(shape[column], of: row) }
        let isSame = unsafe entry.withBytes { made in unsafe key.withUnsafeBytes { unsafe made.elementsEqual($0) } }
        if !isSame { problems.append("\(name(key)): the row's columns say another key.") }
    }

    private mutating func check(
        _ reference: TableWritePlan.OutgoingReference, _ key: RawSpan, _ row: RawSpan, _ shape: [ShapeColumn],
        _ problems: inout [String]
    ) throws {
        let value: ColumnValue
        switch shape[reference.column] {
        case .slot(let slot): value = try slot.value(in: row)
        case .absent(let initial): value = initial
        case .missing: return
        }
        if value.isNull { return }
        let column = plan.table.columns[reference.column].column.name
        if let parent = reference.parent, let type = reference.keyType, let fitting = value.fitting(type) {
            entry.reset(to: parent.rowPrefix)
            entry.append(fitting)
            if try unsafe entry.withBytes({ try unsafe snapshot.contains($0) }) { return }
        }
        problems.append(
            "\(name(key)): column \(column) refers to row \(value.readable) of \(reference.table), which does not exist."
        )
    }
}

/// Checks that the row of an index entry exists and has the entry's values.
private struct EntryChecker: ~Copyable {
    private let snapshot: Snapshot
    private let plan: TableWritePlan
    private let index: TableDescription.Index
    private let entry = KeyEncoder()

    init(_ snapshot: Snapshot, _ plan: TableWritePlan, _ index: TableDescription.Index) {
        self.snapshot = snapshot
        self.plan = plan
        self.index = index
    }

    mutating func check(_ key: RawSpan, _ pointer: RawSpan, _ problems: inout [String]) throws {
        let end = try KeyDecoder.end(ofValues: index.columns.count, at: index.prefix.count, in: key)
        let rowKey =
            unsafe pointer.byteCount > 0
            ? pointer.withUnsafeBytes { unsafe Array($0) }
            : unsafe key.extracting(end..<key.byteCount).withUnsafeBytes { unsafe Array($0) }
        let name = "Table \(plan.table.name), index \(index.description.name)"
        guard let row = try snapshot.get(plan.table.rowPrefix + rowKey) else {
            let values = try unsafe KeyDecoder.values(in: rowKey.span.bytes).map(\.readable).joined(separator: ", ")
            problems.append("\(name): an entry names row \(values), which does not exist.")
            return
        }
        let shape = try unsafe plan.columns(of: row.span.bytes)
        _ = try unsafe rowKey.withUnsafeBytes {
            try unsafe RowWriter.makeEntry(entry, index, of: row.span.bytes, shape, key: $0)
        }
        let isSame = unsafe entry.withBytes { made in unsafe key.withUnsafeBytes { unsafe made.elementsEqual($0) } }
        if !isSame {
            let values = try unsafe KeyDecoder.values(in: rowKey.span.bytes).map(\.readable).joined(separator: ", ")
            problems.append("\(name): an entry of row \(values) has other values than the row.")
        }
    }
}
