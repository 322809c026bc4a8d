import SiltstoneTesting
import Synchronization
import Testing

@testable import TableKit

private struct Logged: Codable { let id: Int }

/// The destinations belong to the process: what other suites log is told apart by its text.
@Suite("Logging", .serialized)
struct LoggingTests {
    /// Before the tests set a destination of their own.
    private let quiet: Void = QuietErrors.begin()

    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func append(_ event: CRUDLogEvent) { lines.withLock { $0.append("\(event.type) \(event.msg)") } }
    }

    @Test("an error is logged when it is made, and a destination may log itself")
    func errors() {
        let lines = Lines(), before = CRUDLogging.errorLogDestinations
        defer { CRUDLogging.errorLogDestinations = before }
        CRUDLogging.errorLogDestinations = [
            .custom { event in
                lines.append(event)
                if event.msg.contains("ping of the log") { CRUDLogging.log(.info, "pong of the log") }
            }
        ]
        _ = CRUDSQLGenError("ping of the log", code: .syntax)
        CRUDLogging.flush()
        CRUDLogging.flush()
        let own = lines.all.filter { $0.contains("of the log") }
        #expect(own == ["ERR ping of the log (syntax)", "INFO pong of the log"])
    }

    @Test("errors go to standard error by default, and nothing goes to standard output")
    func console() async throws {
        let result = await #expect(
            processExitsWith: .success, observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            _ = CRUDSQLGenError("told on the console", code: .syntax)
            CRUDLogging.log(.query, "a statement")
            CRUDLogging.errorLogDestinations = []
            _ = CRUDSQLGenError("told nowhere", code: .syntax)
            CRUDLogging.flush()
        }
        let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
        let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(errors.contains("[ERR] told on the console (syntax)\n"))
        for text in ["a statement", "told nowhere"] { #expect(!errors.contains(text)) }
        for text in ["told", "a statement"] { #expect(!output.contains(text)) }
    }

    @Test("statements are logged where they have a destination")
    func queries() throws {
        let lines = Lines(), before = CRUDLogging.queryLogDestinations
        defer { CRUDLogging.queryLogDestinations = before }
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Logged.self)
        CRUDLogging.queryLogDestinations = [.custom { lines.append($0) }]
        _ = try db.table(Logged.self).where(\Logged.id == 7001).count()
        CRUDLogging.flush()
        #expect(lines.all.contains("QUERY count SELECT * FROM Logged WHERE id = 7001"))
    }

    @Test("a file that cannot be written loses no program")
    func file() {
        let before = CRUDLogging.errorLogDestinations
        defer { CRUDLogging.errorLogDestinations = before }
        CRUDLogging.errorLogDestinations = [.file("/nowhere/at/all.log")]
        CRUDLogging.log(.warning, "to nowhere")
        CRUDLogging.flush()
    }
}
