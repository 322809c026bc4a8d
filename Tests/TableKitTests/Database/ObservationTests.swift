import SiltstoneTesting
import Testing

@testable import TableKit

private struct Note: Codable, Equatable {
    let id: Int
    let text: String
}

struct ObservationTests {
    private func database() throws -> Database<ReferenceDatabaseConfiguration> {
        let db = Database(configuration: ReferenceDatabaseConfiguration())
        try db.create(Note.self)
        return db
    }

    @Test("the first value comes at once, and the last change is never lost")
    func values() async throws {
        let db = try database()
        let notes = db.table(Note.self)
        var values = try notes.values().makeAsyncIterator()
        #expect(try await values.next() == [])
        for id in 1...20 { try await notes.insert(Note(id: id, text: "a")) }
        var last = 0
        while last < 20, let value = try await values.next() { last = value.count }
        #expect(last == 20)
    }

    @Test("several queries see one state")
    func observe() async throws {
        let db = try database()
        let notes = db.table(Note.self)
        let stream = try db.observe { (try notes.count(), try notes.all().count) }
        for id in 1...5 { try await notes.insert(Note(id: id, text: "a")) }
        for try await (count, all) in stream {
            #expect(count == all)
            if count == 5 { break }
        }
    }

    @Test("distinct values differ from the one that was read before, also for a slow reader")
    func distinct() async throws {
        let db = try database()
        let notes = db.table(Note.self)
        var values = try notes.distinctValues().makeAsyncIterator()
        #expect(try await values.next() == [])
        // Neither state is read: the second one takes the place of the first.
        try await notes.insert(Note(id: 1, text: "a"))
        try await Task.sleep(for: .milliseconds(300))
        try await notes.where(\Note.id == 1).delete()
        try await Task.sleep(for: .milliseconds(300))
        let later = Task {
            try await Task.sleep(for: .milliseconds(300))
            try await notes.insert(Note(id: 2, text: "b"))
        }
        let next = try await values.next()
        #expect(next?.isEmpty == false)
        try await later.value
    }

    @Test("ends with the task that iterates, and is refused in a transaction")
    func ends() async throws {
        let db = try database()
        let notes = db.table(Note.self)
        let reader = Task { for try await _ in try notes.values() {} }
        reader.cancel()
        await #expect(throws: Never.self) { try await reader.value }
        let distinctReader = Task { for try await _ in try notes.distinctValues() {} }
        distinctReader.cancel()
        await #expect(throws: Never.self) { try await distinctReader.value }
        try await db.transaction {
            let error = #expect(throws: CRUDSQLGenError.self) { try notes.values() }
            #expect(error?.code == .transaction)
        }
    }
}
