import TableKit

/// Evaluates a condition on the bytes of rows. Used by one thread at a time.
@safe
final class RowFilter {
    /// The condition, on source 0 alone.
    let condition: Condition
    private let acceptsAll: Bool
    private let shape: RowShape
    /// The programs by row layout.
    private var programs: [UInt16: FilterProgram] = [:]
    /// The program of the last layout, because rows of one layout are mostly contiguous. Behind a pointer: a mutable
    /// property would cost exclusivity checks for each row.
    private let current: UnsafeMutablePointer<Current>

    @safe
    private struct Current {
        /// -1: none.
        var layout: Int32 = -1
        var leastBytes = RowLayout.headerBytes
        var start = 0
        var tests: UnsafeMutablePointer<FilterInstruction>?
        /// Retained by ``programs``.
        var program: Unmanaged<FilterProgram>?
    }

    init(_ condition: Condition, shape: RowShape) {
        self.condition = condition
        acceptsAll = condition == .always
        self.shape = shape
        unsafe current = .allocate(capacity: 1)
        unsafe current.initialize(to: Current())
    }

    deinit { unsafe current.deallocate() }

    /// True if a row matches the condition.
    /// - Throws: `TableErrorCode.corrupt` if the row is damaged or its layout unknown.
    @inline(__always)
    func accepts(_ row: RawSpan) throws -> Bool {
        if acceptsAll { return true }
        return try unsafe row.withUnsafeBytes { row in
            guard row.count >= RowLayout.headerBytes, let base = row.baseAddress else { throw shortRow }
            let layout = unsafe Int32(UInt16(littleEndian: base.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
            if unsafe layout != current.pointee.layout { try choose(layout) }
            guard unsafe row.count >= current.pointee.leastBytes else { throw shortRow }
            var next = unsafe current.pointee.start
            while next >= 0, let tests = unsafe current.pointee.tests {
                next = try unsafe isMet(tests + next, row, base) ? tests[next].ifMet : tests[next].ifNot
            }
            return next == FilterInstruction.accept
        }
    }

    @inline(__always)
    private func isMet(
        _ test: UnsafeMutablePointer<FilterInstruction>, _ row: UnsafeRawBufferPointer, _ base: UnsafeRawPointer
    ) throws -> Bool {
        let isNull =
            unsafe base.load(fromByteOffset: test.pointee.slot.nullByte, as: UInt8.self) & test.pointee.slot.nullMask
            != 0
        if unsafe test.pointee.operation == .scalarRange {
            if isNull { return false }
            let number = unsafe ScalarOrder.load(test.pointee.slot.type, base + test.pointee.slot.place)
            return unsafe (number >= test.pointee.low && number <= test.pointee.high) != test.pointee.isInverted
        }
        if unsafe isNull || test.pointee.operation == .isNull {
            return unsafe isNull && test.pointee.operation == .isNull
        }
        let result = unsafe current.pointee.program?._withUnsafeGuaranteedRef { unsafe $0.isOtherMet(test, row, base) }
        guard let result else { throw shortRow }
        return result
    }

    private func choose(_ layout: Int32) throws {
        let number = UInt16(truncatingIfNeeded: layout)
        let program =
            try programs[number]
            ?? FilterProgram(
                condition, columns: try shape.columns(inLayout: number), table: shape.structure.name)
        programs[number] = program
        unsafe current.pointee = unsafe Current(
            layout: layout, leastBytes: program.leastBytes, start: program.start, tests: program.tests,
            program: .passUnretained(program))
    }

    private var shortRow: CRUDDecoderError {
        CRUDDecoderError("A row is shorter than its layout says.", code: .corrupt, table: shape.structure.name)
    }
}
