import Foundation
import Siltstone
import Testing

/// The tool with less than it needs: open files, length of files, rights.
@Suite("The tool, limited", .serialized)
struct LimitedToolTests {
    @Test("with few descriptors every command works or says so, and nothing is lost")
    func fewDescriptors() throws {
        let store = try AttackedStore(changes: 2_000)
        var refused = 0
        for limit in [8, 10, 12, 14, 16, 20, 40] {
            for command in ["dump", "compact", "verify"] {
                let path = try store.copy("copy")
                let result = try Silt.shell(#"ulimit -n $0 && exec "$SILT" \#(command) "$1""#, String(limit), path)
                // Below some number not even the loader finds its libraries.
                if result.status == 127 { continue }
                if result.status != 0 {
                    result.expect(status: 5, error: "Too many open files")
                    refused += 1
                }
                #expect(try AttackedStore.content(of: path) == store.content, "\(command) with \(limit) descriptors")
            }
        }
        #expect(refused > 0)
    }

    @Test("files that may not grow as large as needed are an error, not a signal, and nothing is lost")
    func shortFiles() throws {
        let store = try AttackedStore(changes: 2_000)
        let value = String(repeating: "v", count: 40_000)
        var refused = 0
        // In blocks of 512 bytes.
        for limit in [0, 1, 8, 9, 64, 100, 128, 300, 500] {
            for line in [#"compact "$1""#, #"put "$1" new \#(value)"#, #"put "$1" new small"#] {
                let path = try store.copy("copy")
                let result = try Silt.shell(#"ulimit -f $0 && exec "$SILT" \#(line) 2>&1"#, String(limit), path)
                #expect(result.status == 0 || result.status == 5, "limit \(limit), \(line.prefix(20)): \(result)")
                if result.status == 5 { refused += 1 }
                var content = try AttackedStore.content(of: path)
                let new = content.removeValue(forKey: Array("new".utf8))
                #expect(content == store.content, "limit \(limit), \(line.prefix(20))")
                #expect((new != nil) == (result.status == 0 && line.hasPrefix("put")))
                try Silt.run("verify", path).expect(status: 0)
            }
        }
        #expect(refused > 5)
    }

    @Test("output, and a temporary file, that may not grow as large as needed are an error, not a signal")
    func shortOutput() throws {
        let directory = try TemporaryDirectory()
        // More than the limit, less than a pipe holds: `cat` ends by itself.
        let lines = (0..<400).map { "key\($0)\tvalue \($0) of a store whose dump is to be cut\n" }.joined()
        let input = try directory.write("input", lines.utf8)
        let store = directory.file("store")
        try Silt.run("load", "-q", "-f", "tsv", store, input).expect(status: 0)
        // In blocks of 512 bytes.
        try Silt.shell(#"ulimit -f 16 && exec "$SILT" dump "$0" > "$1""#, store, directory.file("dump"))
            .expect(status: 5, error: "standard output")
        try Silt.shell(#"cat "$1" | (ulimit -f 16 && exec "$SILT" load -q -f tsv "$0")"#, directory.file("new"), input)
            .expect(status: 5)
    }

    @Test("in a directory that may not be written, reading works, and writing is refused")
    func readOnlyDirectory() throws {
        if geteuid() == 0 {
            print("skipped: a directory that may not be written: root may write everywhere")
            return
        }
        let store = try AttackedStore(changes: 1_000)
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: store.path)
        defer {
            do { try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: store.path) } catch {
                Issue.record(error)
            }
        }
        try Silt.run("verify", store.path).expect(status: 0)
        try Silt.run("compact", store.path).expect(status: 5)
        #expect(try AttackedStore.content(of: store.path) == store.content)
    }
}
