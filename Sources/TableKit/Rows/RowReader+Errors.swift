extension RowReader {
    @inline(never)
    func corrupt() -> CRUDDecoderError {
        CRUDDecoderError("A row is damaged: it is shorter than it says.", code: .corrupt, table: structure.name)
    }

    @inline(never)
    func missing(_ number: Int) -> CRUDDecoderError {
        CRUDDecoderError(
            "The table has no such column, and the property is not optional.", code: .noColumn, table: structure.name,
            column: names[number])
    }

    @inline(never)
    func null(_ number: Int) -> CRUDDecoderError {
        CRUDDecoderError(
            "The column is NULL, and the property is not optional.", code: .type, table: structure.name,
            column: names[number])
    }

    @inline(never)
    func misfit(_ number: Int, _ type: Any.Type, _ reason: any Error) -> CRUDDecoderError {
        let known = reason as? CRUDDecoderError
        return CRUDDecoderError(
            known?.message ?? "The column does not decode as \(type): \(reason)", code: known?.code ?? .type,
            table: structure.name, column: names[number])
    }

    func unsupported(_ number: Int? = nil) -> CRUDDecoderError {
        CRUDDecoderError(
            "A row has named columns of one value each, no containers in them.", code: .unsupported,
            table: structure.name, column: number.map { names[$0] })
    }

    /// The error for a property without a value that is not optional; nil if it has a value.
    @inline(never)
    func absence(_ number: Int) -> CRUDDecoderError? {
        switch presence(number) {
        case .value: nil
        case .null: null(number)
        case .missing, .subTable: missing(number)
        }
    }
}
