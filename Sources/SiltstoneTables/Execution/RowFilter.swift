import TableKit

/// Decides which rows of a table meet a condition, by their bytes. Used by one thread at a time.
final class RowFilter {
    /// What rows have to meet: names source 0 alone.
    let condition: Condition
    private let shape: RowShape
    /// The programs for the layouts that rows were met with.
    private var programs: [UInt16: FilterProgram] = [:]
    /// The program that was used last, as rows of one layout lie side by side.
    private var program: FilterProgram?
    private var layout: UInt16 = 0

    init(_ condition: Condition, shape: RowShape) {
        self.condition = condition
        self.shape = shape
    }

    /// Whether a row meets the condition.
    /// - Throws: ``TableErrorCode/corrupt`` where the row is damaged or has an unknown layout.
    @inline(__always)
    func accepts(_ row: RawSpan) throws -> Bool {
        if case .always = condition { return true }
        return try row.withUnsafeBytes { row in
            guard row.count >= RowLayout.headerBytes else { throw shortRow }
            let number = UInt16(littleEndian: row.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
            if program == nil || number != layout { try choose(number) }
            guard let result = program?.accepts(row) else { throw shortRow }
            return result
        }
    }

    private func choose(_ number: UInt16) throws {
        let chosen =
            try programs[number]
            ?? FilterProgram(
                condition, columns: try shape.columns(inLayout: number), table: shape.structure.name)
        programs[number] = chosen
        (program, layout) = (chosen, number)
    }

    private var shortRow: CRUDDecoderError {
        CRUDDecoderError(
            "A row is shorter than its layout says.", code: .corrupt, table: shape.structure.name)
    }
}
