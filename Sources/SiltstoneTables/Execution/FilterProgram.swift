import Foundation
import TableKit

/// A condition compiled to a flat list of tests on the slots of rows of one layout. It decodes no values.
///
/// A class, so that a test of an operand copies no arrays. Immutable after initialization.
@safe
final class FilterProgram {
    /// The tests, in unmanaged memory because they are read for each row.
    let tests: UnsafeMutablePointer<FilterInstruction>
    private var instructions: [FilterInstruction] = []
    private var lists: [[Int64]] = []
    private var byteLists: [[[UInt8]]] = []
    private var bytes: [[UInt8]] = []
    private var patterns: [TextPattern] = []
    private var others: [RowSlot] = []
    /// The first instruction, or the result if there is no test.
    private(set) var start = FilterInstruction.accept
    /// The minimum length of a row in bytes.
    private(set) var leastBytes = RowLayout.headerBytes

    /// - Parameters:
    ///   - condition: a condition on source 0 alone.
    ///   - columns: the positions of the columns in the layout.
    init(_ condition: Condition, columns: [ShapeColumn], table: String) throws {
        unsafe tests = .allocate(capacity: condition.testCount)
        start = try compile(
            condition, columns, table, ifMet: FilterInstruction.accept, ifNot: FilterInstruction.reject)
        for (place, instruction) in instructions.enumerated() { unsafe (tests + place).initialize(to: instruction) }
    }

    deinit { unsafe tests.deallocate() }

    // MARK: Running

    /// Runs a test that needs an operand, on a column that is not NULL. Returns nil if the row is damaged.
    @inline(never)
    func isOtherMet(
        _ test: UnsafeMutablePointer<FilterInstruction>, _ row: UnsafeRawBufferPointer, _ base: UnsafeRawPointer
    ) -> Bool? {
        let slot = unsafe test.pointee.slot
        switch unsafe test.pointee.operation {
        case .isNull: return false
        case .isNotNull: return true
        case .scalarRange, .scalarList:
            let number = unsafe ScalarOrder.load(slot.type, base + slot.place)
            return unsafe lists[test.pointee.operand].containsSorted(number) != test.pointee.isInverted
        case .bytes:
            guard let value = unsafe Self.bytes(slot, row, base) else { return nil }
            let order = unsafe bytes[test.pointee.operand].withUnsafeBytes { unsafe RowBytes.order(value, $0) }
            return unsafe test.pointee.comparison.holds(order: order)
        case .bytesList:
            guard let value = unsafe Self.bytes(slot, row, base) else { return nil }
            return unsafe byteLists[test.pointee.operand].containsSorted(value) != test.pointee.isInverted
        case .pattern:
            guard let value = unsafe Self.bytes(slot, row, base) else { return nil }
            return unsafe patterns[test.pointee.operand].matches(value) != test.pointee.isInverted
        case .columns: return unsafe compareColumns(test, row, base)
        }
    }

    private func compareColumns(
        _ test: UnsafeMutablePointer<FilterInstruction>, _ row: UnsafeRawBufferPointer, _ base: UnsafeRawPointer
    ) -> Bool? {
        let left = unsafe test.pointee.slot
        let right = unsafe others[test.pointee.operand]
        if unsafe base.load(fromByteOffset: right.nullByte, as: UInt8.self) & right.nullMask != 0 { return false }
        if left.type == right.type, ScalarOrder.covers(left.type) {
            let (a, b) = unsafe (
                ScalarOrder.load(left.type, base + left.place), ScalarOrder.load(right.type, base + right.place)
            )
            return unsafe test.pointee.comparison.holds(order: a < b ? -1 : a > b ? 1 : 0)
        }
        do {
            let span = unsafe RawSpan(_unsafeBytes: row)
            let order = ColumnValue.order(try left.value(in: span), try right.value(in: span))
            return unsafe test.pointee.comparison.holds(order: order)
        } catch { return nil }
    }

    /// The bytes of a UUID or a variable column.
    @inline(__always)
    private static func bytes(
        _ slot: RowSlot, _ row: UnsafeRawBufferPointer, _ base: UnsafeRawPointer
    ) -> UnsafeRawBufferPointer? {
        if slot.isFixed { return unsafe UnsafeRawBufferPointer(start: base + slot.place, count: 16) }
        return unsafe RowBytes.variable(slot, in: row)
    }

    // MARK: Compiling

    /// Appends the tests of a condition, from the last to the first, because each needs the index of its successor.
    /// - Returns: the index of the first instruction.
    private func compile(
        _ condition: Condition, _ columns: [ShapeColumn], _ table: String, ifMet: Int, ifNot: Int
    ) throws -> Int {
        switch condition {
        case .always: return ifMet
        case .never: return ifNot
        case .and(let parts):
            var next = ifMet
            for part in parts.reversed() {
                next = try compile(part, columns, table, ifMet: next, ifNot: ifNot)
            }
            return next
        case .or(let parts):
            var next = ifNot
            for part in parts.reversed() {
                next = try compile(part, columns, table, ifMet: ifMet, ifNot: next)
            }
            return next
        case .test(let column, let test):
            switch columns[column.column] {
            case .slot(let slot): return append(instruction(test, slot), ifMet, ifNot)
            case .absent(let value): return test.isMet(by: value) ? ifMet : ifNot
            case .missing: throw CRUDSQLGenError.missingColumn(table)
            }
        case .columns(let left, let comparison, let right):
            return try compile(left, comparison, right, columns, table, ifMet: ifMet, ifNot: ifNot)
        }
    }

    private func compile(
        _ left: ColumnReference, _ comparison: Comparison, _ right: ColumnReference, _ columns: [ShapeColumn],
        _ table: String, ifMet: Int, ifNot: Int
    ) throws -> Int {
        switch (columns[left.column], columns[right.column]) {
        case (.slot(let slot), .slot(let other)):
            others.append(other)
            leastBytes = max(leastBytes, other.endsStart)
            var test = FilterInstruction(.columns, slot)
            test.comparison = comparison
            test.operand = others.count - 1
            return append(test, ifMet, ifNot)
        case (.slot(let slot), .absent(let value)):
            let part = Condition.comparing(left, slot.type, comparison, value)
            return try compile(part, columns, table, ifMet: ifMet, ifNot: ifNot)
        case (.absent(let value), .slot(let slot)):
            let part = Condition.comparing(right, slot.type, comparison.mirrored, value)
            return try compile(part, columns, table, ifMet: ifMet, ifNot: ifNot)
        case (.absent(let a), .absent(let b)):
            return !a.isNull && !b.isNull && comparison.holds(order: ColumnValue.order(a, b)) ? ifMet : ifNot
        case (.missing, _), (_, .missing): throw CRUDSQLGenError.missingColumn(table)
        }
    }

    private func append(_ instruction: FilterInstruction, _ ifMet: Int, _ ifNot: Int) -> Int {
        var instruction = instruction
        (instruction.ifMet, instruction.ifNot) = (ifMet, ifNot)
        leastBytes = max(leastBytes, instruction.slot.endsStart)
        instructions.append(instruction)
        return instructions.count - 1
    }

    private func instruction(_ test: ColumnTest, _ slot: RowSlot) -> FilterInstruction {
        switch test {
        case .isNull: return FilterInstruction(.isNull, slot)
        case .isNotNull: return FilterInstruction(.isNotNull, slot)
        case .compare(let comparison, let value):
            if let number = ScalarOrder.number(value, slot.type) { return range(comparison, number, slot) }
            var result = FilterInstruction(.bytes, slot)
            result.comparison = comparison
            bytes.append(value.comparableBytes)
            result.operand = bytes.count - 1
            return result
        case .isIn(let values): return list(values, slot, isInverted: false)
        case .isNotIn(let values): return list(values, slot, isInverted: true)
        case .like(let pattern), .isNotLike(let pattern):
            var result = FilterInstruction(.pattern, slot)
            patterns.append(TextPattern(pattern))
            result.operand = patterns.count - 1
            if case .isNotLike = test { result.isInverted = true }
            return result
        }
    }

    private func range(_ comparison: Comparison, _ number: Int64, _ slot: RowSlot) -> FilterInstruction {
        var result = FilterInstruction(.scalarRange, slot)
        (result.low, result.high) = (.min, .max)
        switch comparison {
        case .equal, .notEqual:
            (result.low, result.high) = (number, number)
            result.isInverted = comparison == .notEqual
        case .lessOrEqual: result.high = number
        case .greaterOrEqual: result.low = number
        // Inverted, because there may be no number below or above this one.
        case .less: (result.low, result.isInverted) = (number, true)
        case .greater: (result.high, result.isInverted) = (number, true)
        }
        return result
    }

    private func list(_ values: [ColumnValue], _ slot: RowSlot, isInverted: Bool) -> FilterInstruction {
        if ScalarOrder.covers(slot.type) {
            var result = FilterInstruction(.scalarList, slot)
            lists.append(values.compactMap { ScalarOrder.number($0, slot.type) })
            (result.operand, result.isInverted) = (lists.count - 1, isInverted)
            return result
        }
        var result = FilterInstruction(.bytesList, slot)
        byteLists.append(values.map(\.comparableBytes))
        (result.operand, result.isInverted) = (byteLists.count - 1, isInverted)
        return result
    }
}

extension CRUDSQLGenError {
    static func missingColumn(_ table: String) -> CRUDSQLGenError {
        CRUDSQLGenError("The condition names a column that the table lacks.", code: .noColumn, table: table)
    }
}

extension ColumnValue {
    /// The bytes by which a text, bytes or a UUID is compared.
    var comparableBytes: [UInt8] {
        switch self {
        case .text(let text), .json(let text): Array(text.utf8)
        case .bytes(let bytes): bytes
        case .uuid(let value): unsafe withUnsafeBytes(of: value.uuid) { unsafe Array($0) }
        default: []
        }
    }
}

extension Condition {
    /// The maximum number of tests in a program for the condition.
    fileprivate var testCount: Int {
        switch self {
        case .always, .never: 0
        case .test, .columns: 1
        case .and(let parts), .or(let parts): parts.reduce(0) { $0 + $1.testCount }
        }
    }
}

extension [Int64] {
    fileprivate func containsSorted(_ number: Int64) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low < count && self[low] == number
    }
}

extension [[UInt8]] {
    fileprivate func containsSorted(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            let order = unsafe self[middle].withUnsafeBytes { unsafe RowBytes.order($0, bytes) }
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }
}
