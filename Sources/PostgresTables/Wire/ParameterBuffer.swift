#if PostgreSQL
import TableKit
import TableSQL

/// The parameters of one round trip, in the server's binary format.
///
/// All are encoded before the first is sent, so that an invalid value leaves nothing half sent. The next round trip
/// reuses the memory.
struct ParameterBuffer {
    private var writer = WireWriter()
    /// The offset of each parameter; negative for NULL.
    private var offsets: [Int] = []
    private var lengths: [Int32] = []
    private var formats: [Int32] = []
    private var pointers: [UnsafePointer<CChar>?] = []

    /// Removes all parameters; keeps the memory.
    mutating func removeAll() {
        writer.removeAll()
        offsets.removeAll(keepingCapacity: true)
        lengths.removeAll(keepingCapacity: true)
    }

    /// Encodes the parameters of the next statement.
    /// - Returns: their positions in the buffer.
    mutating func append(_ parameters: [SQLStatement.Parameter]) throws -> Range<Int> {
        let first = offsets.count
        for parameter in parameters {
            let start = writer.count
            switch parameter {
            case .value(.null, _):
                offsets.append(-1)
                lengths.append(0)
                continue
            case .value(let value, let type): try writer.append(value, type)
            case .array(let values, let type): try writer.append(array: values, type)
            case .column(let rows, let column, let range): writer.append(rows, column, range)
            case .rows: throw SQLConnectionError(.statement, code: .unsupported, "PostgreSQL takes rows as columns.")
            }
            try finishValue(from: start)
        }
        return first..<offsets.count
    }

    /// Encodes a key.
    /// - Returns: the positions of its values in the buffer.
    mutating func append(key: [ColumnValue], _ types: [ColumnType]) throws -> Range<Int> {
        let first = offsets.count
        for place in key.indices {
            let start = writer.count
            try writer.append(key[place], types[place])
            try finishValue(from: start)
        }
        return first..<offsets.count
    }

    /// Records the value that was written from an offset on.
    private mutating func finishValue(from start: Int) throws {
        guard let length = Int32(exactly: writer.count - start) else {
            throw SQLConnectionError(.statement, code: .argument, "PostgreSQL takes no value above 1 GB.")
        }
        offsets.append(start)
        lengths.append(length)
    }

    /// Passes the parameters of one statement to `body` in libpq's form: values, lengths, formats.
    mutating func withParameters<R>(
        _ range: Range<Int>,
        _ body: (UnsafePointer<UnsafePointer<CChar>?>?, UnsafePointer<Int32>?, UnsafePointer<Int32>?) -> R
    ) -> R {
        guard !range.isEmpty else { return body(nil, nil, nil) }
        while formats.count < range.count { formats.append(1) }
        pointers.removeAll(keepingCapacity: true)
        return writer.bytes.withUnsafeBytes { bytes in
            for position in range {
                let offset = offsets[position]
                pointers.append(offset < 0 ? nil : Self.pointer(bytes, offset))
            }
            return pointers.withUnsafeBufferPointer { values in
                lengths.withUnsafeBufferPointer { lengths in
                    formats.withUnsafeBufferPointer { formats in
                        body(values.baseAddress, lengths.baseAddress! + range.lowerBound, formats.baseAddress)
                    }
                }
            }
        }
    }

    /// An empty value needs an address even without bytes: a null pointer means NULL.
    private static func pointer(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UnsafePointer<CChar> {
        guard let start = bytes.baseAddress else { return empty }
        return (start + offset).assumingMemoryBound(to: CChar.self)
    }

    private nonisolated(unsafe) static let empty = UnsafePointer(UnsafeMutablePointer<CChar>.allocate(capacity: 1))
}

extension SQLStatement.Parameter {
    /// The server's type of the parameter.
    var postgresType: PostgresType {
        switch self {
        case .value(_, let type): type.postgresType
        case .array(_, let type): type.postgresType.array
        case .column(let rows, let column, _): rows.slots[column].type.postgresType.array
        case .rows: .unknown
        }
    }
}
#endif
