#if PostgreSQL
import PlainCPostgreSQL

/// libpq with prepared statements and binary cells, one call after the other.
final class PlainPostgres: Client {
    private let raw: OpaquePointer

    init(_ connectionString: String) throws {
        guard let raw = PQconnectdb(connectionString) else { throw BenchmarkFailure("libpq has no memory") }
        self.raw = raw
        guard PQstatus(raw) == CONNECTION_OK else { throw failure }
    }

    /// Prepares the statements, once the table is there.
    func prepare() throws {
        let select = "SELECT id, name, size, note FROM \"Item\" WHERE id = $1::bigint LIMIT 1"
        let insert =
            "INSERT INTO \"Item\" (id, name, size, note)"
            + " SELECT * FROM unnest($1::bigint[], $2::text[], $3::float8[], $4::text[])"
        try check(PQprepare(raw, "find", select, 0, nil))
        try check(PQprepare(raw, "insert", insert, 0, nil))
    }

    private var failure: BenchmarkFailure { BenchmarkFailure("PostgreSQL: \(String(cString: PQerrorMessage(raw)))") }

    private func check(_ result: OpaquePointer?) throws {
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    func find(_ id: Int) throws -> Item? {
        try withUnsafeBytes(of: Int64(id).bigEndian) { bytes in
            var value = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var length: Int32 = 8
            var format: Int32 = 1
            let result = PQexecPrepared(raw, "find", 1, &value, &length, &format, 1)
            defer { PQclear(result) }
            guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw failure }
            if PQntuples(result) == 0 { return nil }
            func integer(_ column: Int32) -> Int64 {
                UnsafeRawPointer(PQgetvalue(result, 0, column)).map {
                    Int64(bigEndian: $0.loadUnaligned(as: Int64.self))
                } ?? 0
            }
            func text(_ column: Int32) -> String {
                let count = Int(PQgetlength(result, 0, column))
                let bytes = UnsafeRawBufferPointer(start: PQgetvalue(result, 0, column), count: count)
                return String(decoding: bytes, as: UTF8.self)
            }
            return Item(
                id: Int(integer(0)), name: text(1), size: Double(bitPattern: UInt64(bitPattern: integer(2))),
                note: PQgetisnull(result, 0, 3) == 1 ? nil : text(3))
        }
    }

    func insert(_ items: [Item]) throws {
        let parameters = [
            Self.array(20, items.map { Self.bytes($0.id) }), Self.array(25, items.map { Array($0.name.utf8) }),
            Self.array(701, items.map { Self.bytes($0.size.bitPattern) }),
            Self.array(25, items.map { $0.note.map { Array($0.utf8) } }),
        ]
        try check(PQexec(raw, "BEGIN ISOLATION LEVEL SERIALIZABLE"))
        let lengths = parameters.map { Int32($0.count) }
        let formats: [Int32] = [1, 1, 1, 1]
        let all = parameters.flatMap { $0 }
        try all.withUnsafeBytes { bytes in
            var place = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = parameters.map { parameter -> UnsafePointer<CChar>? in
                defer { place = place.map { $0 + parameter.count } }
                return place
            }
            try check(PQexecPrepared(raw, "insert", 4, values, lengths, formats, 1))
        }
        try check(PQexec(raw, "COMMIT"))
    }

    private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }

    /// An array in the protocol's binary form.
    private static func array(_ type: UInt32, _ values: [[UInt8]?]) -> [UInt8] {
        var result = bytes(Int32(1)) + bytes(Int32(values.contains { $0 == nil } ? 1 : 0)) + bytes(type)
        result += bytes(Int32(values.count)) + bytes(Int32(1))
        for value in values {
            result += bytes(Int32(value?.count ?? -1))
            result += value ?? []
        }
        return result
    }

    func removeAll() throws { try check(PQexec(raw, "DELETE FROM \"Item\"")) }
    func close() { PQfinish(raw) }
}
#endif
