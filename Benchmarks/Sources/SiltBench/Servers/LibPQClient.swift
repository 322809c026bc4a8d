#if SERVER_POSTGRESQL
import CPostgreSQL
import Foundation

/// PostgreSQL by libpq. A batch is one statement, which is a transaction by itself: an array for each column.
final class LibPQClient: PlainClient {
    static var version: String { "libpq \(PQlibVersion() / 10_000).\(PQlibVersion() % 10_000)" }

    private let connection: OpaquePointer
    /// The parameters of a batch, and where each begins.
    private var bytes: [UInt8] = []
    private var starts: [Int] = []

    init(_ address: String) throws {
        guard let connection = PQconnectdb(address) else { throw BenchmarkError("libpq has no memory") }
        self.connection = connection
        guard PQstatus(connection) == CONNECTION_OK else { throw failure }
        try prepare("find", #"SELECT "id", "name", "group", "score", "created", "note" FROM "Player" WHERE "id" = $1"#)
        try prepare(
            "insert",
            """
            INSERT INTO "Player" ("id", "name", "group", "score", "created", "note") SELECT * FROM \
            unnest($1::int8[], $2::text[], $3::int8[], $4::float8[], $5::float8[], $6::text[])
            """)
    }

    func close() { PQfinish(connection) }

    private func prepare(_ name: String, _ text: String) throws {
        let result = PQprepare(connection, name, text, 0, nil)
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    private var failure: BenchmarkError { BenchmarkError("libpq: \(String(cString: PQerrorMessage(connection)))") }

    // MARK: Reading

    func find(_ id: Int) throws -> Player? {
        let result = withUnsafeBytes(of: Int64(id).bigEndian) { key in
            var value = key.baseAddress?.assumingMemoryBound(to: CChar.self)
            var (length, format) = (Int32(8), Int32(1))
            return PQexecPrepared(connection, "find", 1, &value, &length, &format, 1)
        }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_TUPLES_OK else { throw failure }
        guard PQntuples(result) == 1 else { return nil }
        return Player(
            id: Int(integer(result, 0)), name: text(result, 1), group: Int(integer(result, 2)),
            score: real(result, 3), created: Date(timeIntervalSinceReferenceDate: real(result, 4)),
            note: PQgetisnull(result, 0, 5) == 1 ? nil : text(result, 5))
    }

    private func integer(_ result: OpaquePointer?, _ column: Int32) -> Int64 {
        Int64(bigEndian: UnsafeRawPointer(PQgetvalue(result, 0, column)).loadUnaligned(as: Int64.self))
    }

    private func real(_ result: OpaquePointer?, _ column: Int32) -> Double {
        Double(bitPattern: UInt64(bitPattern: integer(result, column)))
    }

    private func text(_ result: OpaquePointer?, _ column: Int32) -> String {
        String(
            decoding: UnsafeRawBufferPointer(
                start: PQgetvalue(result, 0, column), count: Int(PQgetlength(result, 0, column))), as: UTF8.self)
    }

    // MARK: Inserting

    func insert(_ players: [Player]) throws {
        bytes.removeAll(keepingCapacity: true)
        starts.removeAll(keepingCapacity: true)
        let (int8, float8, textType): (Int32, Int32, Int32) = (20, 701, 25)
        array(players, int8) { integer(Int64($0.id)) }
        array(players, textType) { text($0.name) }
        array(players, int8) { integer(Int64($0.group)) }
        array(players, float8) { integer(Int64(bitPattern: $0.score.bitPattern)) }
        array(players, float8) {
            integer(Int64(bitPattern: $0.created.timeIntervalSinceReferenceDate.bitPattern))
        }
        array(players, textType) { player in
            if let note = player.note { text(note) } else { append(Int32(-1)) }
        }
        let lengths = starts.indices.map { number in
            Int32((number + 1 < starts.count ? starts[number + 1] : bytes.count) - starts[number])
        }
        let formats = [Int32](repeating: 1, count: starts.count)
        let result = bytes.withUnsafeBytes { bytes in
            let values = starts.map { start in
                bytes.baseAddress.map { ($0 + start).assumingMemoryBound(to: CChar.self) }
            }
            return PQexecPrepared(connection, "insert", Int32(values.count), values, lengths, formats, 1)
        }
        defer { PQclear(result) }
        guard PQresultStatus(result) == PGRES_COMMAND_OK else { throw failure }
    }

    /// A parameter that is an array of one dimension.
    private func array(_ players: [Player], _ type: Int32, _ value: (Player) -> Void) {
        starts.append(bytes.count)
        // Dimensions, whether there may be NULL, the type, the number of elements, the first index.
        for header in [1, 1, type, Int32(players.count), 1] { append(header) }
        for player in players { value(player) }
    }

    private func integer(_ value: Int64) {
        append(Int32(8))
        append(value)
    }

    private func text(_ value: String) {
        append(Int32(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    private func append(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { bytes.append(contentsOf: $0) }
    }
}
#endif
