import TableKit

/// One test of a filter's program, and where the program goes on.
struct FilterInstruction {
    enum Operation: UInt8 {
        /// The scalar is in `low...high`.
        case scalarRange
        /// The scalar is one of a sorted list.
        case scalarList
        /// A UUID, text or bytes beside the operand, by `comparison`.
        case bytes
        /// They are one of a sorted list.
        case bytesList
        case pattern
        case isNull
        case isNotNull
        /// Two columns, by `comparison`.
        case columns
    }

    var operation: Operation
    var comparison: Comparison = .equal
    /// Whether the test is met where it fails, but not by NULL.
    var isInverted = false
    var slot: RowSlot
    var low: Int64 = 0
    var high: Int64 = 0
    /// The number of the list, the bytes, the pattern or the other slot among the program's operands.
    var operand = 0
    /// The next instruction where the test is met, or fails; ``accept`` or ``reject``.
    var ifMet = FilterInstruction.accept
    var ifNot = FilterInstruction.reject

    static let accept = -1
    static let reject = -2

    init(_ operation: Operation, _ slot: RowSlot) {
        self.operation = operation
        self.slot = slot
    }
}
