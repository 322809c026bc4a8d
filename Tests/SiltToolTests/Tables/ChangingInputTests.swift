import Foundation
import Siltstone
import SiltstoneTables
import Testing

@testable import SiltTool

/// import of a file that changes meanwhile.
struct ChangingInputTests {
    private let directory: TemporaryDirectory
    private let settings = TableImport(
        table: "T", format: .jsonl, key: .automatic, isReplacing: false, batchRows: nil, isQuiet: true)

    init() throws { directory = try TemporaryDirectory() }

    private func row(_ id: Int) -> String { "{\"id\":\(id)}\n" }

    private func append(_ text: String, to path: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    @Test("a file that grows: the rows that were checked are stored, from the first to the last")
    func growing() throws {
        let path = try directory.write("a.jsonl", (row(1) + row(2)).utf8)
        let source = try InputSource(path)
        defer { System.closeFile(source.descriptor) }
        try append(row(3), to: path)
        let checked = try settings.check(source, nil)
        try append(row(4), to: path)
        var ids: [String] = []
        let bytes = try ImportedRows.forEach(checked.source, .jsonl, progress: Progress("test", isQuiet: true)) {
            ids += $0.values.compactMap { $0?.text }
        }
        #expect(ids == ["1", "2", "3"])
        #expect(bytes == 3 * row(1).utf8.count)
    }

    @Test("a file that has become shorter stores nothing, and is named")
    func shrinking() throws {
        let path = try directory.write("a.jsonl", (row(1) + row(2)).utf8)
        let source = try InputSource(path)
        defer { System.closeFile(source.descriptor) }
        let checked = try settings.check(source, nil)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.truncate(atOffset: UInt64(row(1).utf8.count))
        try file.close()
        let store = try KeyValueStore.inMemory()
        let engine = try SiltstoneDatabaseConfiguration(store: store).engine
        var report = TableImport.Report(table: "T")
        let error = #expect(throws: ToolError.self) { try settings.store(checked, in: engine, &report) }
        #expect(error?.message.contains("a.jsonl became shorter") == true)
        #expect(report.rows == 0)
        try store.close()
    }
}
