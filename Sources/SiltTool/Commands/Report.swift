import Foundation
import Siltstone

extension Option {
    fileprivate static let html = Option("html", argument: "FILE", "write the page to FILE; '-' is standard output")
}

extension Command {
    static let report = Command(
        name: "report", operands: "STORE", summary: "draw a store as a page to look at",
        discussion: """
            Writes one HTML page, with everything in it, that shows a store to a person: its levels
            and the keys that each segment covers, who takes the space (tables, indexes, prefixes),
            live and dead bytes, memtables, logs and value files, read, write and space
            amplification, and the tables with their relations and first rows. It needs no network
            and no script, and is readable on a phone and in the dark. Nothing in the store changes.

            The page shows the first rows of each table: mind who may see it. --no-rows leaves them
            out.
            """,
        options: [.html, .noRows, .quiet],
        examples: ["silt report people.silt --html people.html", "silt report people.silt --html - > page.html"],
        run: Report.run)
}

extension Option {
    fileprivate static let noRows = Option("no-rows", "leave out the rows of tables")
}

private enum Report {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        guard let file = invocation.value(.html) else { throw invocation.usage("missing --html FILE") }
        let page = try invocation.reading { store in
            let tables = try TableSpace.all(in: store, sampleRows: invocation.has(.noRows) ? 0 : 5)
            return ReportPage(report: try StoreReport(store, path: invocation.path, tables: tables)).text
        }
        if file == "-" {
            try Terminal.print(page)
        } else {
            try write(page, to: file)
            if !invocation.has(.quiet) { try Terminal.print("\(file): \(HumanUnits.bytes(page.utf8.count))\n") }
        }
        return .success
    }

    private static func write(_ page: String, to file: String) throws {
        if isReplaceable(file) { return try replace(file, with: page) }
        let descriptor = try System.openForWriting(file)
        defer { System.closeFile(descriptor) }
        var output = OutputBuffer(descriptor, name: file)
        try output.append(text: page)
        try output.flush()
    }

    /// Whether a new file may take the place of what is at a path: nothing, or a regular file. Devices, pipes and links
    /// stay, and the page is written into them.
    private static func isReplaceable(_ file: String) -> Bool {
        do {
            let type = try FileManager.default.attributesOfItem(atPath: file)[.type] as? FileAttributeType
            return type == .typeRegular
        } catch {
            return true
        }
    }

    private static func replace(_ file: String, with page: String) throws {
        do {
            try Data(page.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        } catch {
            throw ToolError(.inputOutput, "cannot write \(file): \(error.localizedDescription)")
        }
    }
}
