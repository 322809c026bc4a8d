import TableKit

/// One test of a filter program, with the instructions that follow it.
struct FilterInstruction {
    enum Operation: UInt8 {
        /// The scalar is in `low...high`.
        case scalarRange
        /// The scalar is one of a sorted list.
        case scalarList
        /// Compares a UUID, text or bytes with the operand, by `comparison`.
        case bytes
        /// The bytes are in a sorted list.
        case bytesList
        case pattern
        case isNull
        case isNotNull
        /// Compares two columns, by `comparison`.
        case columns
    }

    var operation: Operation
    var comparison: Comparison = .equal
    /// True to invert the test's result. NULL still fails.
    var isInverted = false
    var slot: RowSlot
    var low: Int64 = 0
    var high: Int64 = 0
    /// The index of the list, bytes, pattern or second slot among the program's operands.
    var operand = 0
    /// The next instruction if the test passes or fails, or ``accept`` or ``reject``.
    var ifMet = FilterInstruction.accept
    var ifNot = FilterInstruction.reject

    static let accept = -1
    static let reject = -2

    init(_ operation: Operation, _ slot: RowSlot) {
        self.operation = operation
        self.slot = slot
    }
}
