import Foundation
import Siltstone
import Testing

/// `silt repair` on files of the operating system, damaged one at a time.
struct RepairTests {
    /// A store with two segments and changes in its log.
    private func store(in directory: TemporaryDirectory) throws -> String {
        let path = directory.file("store")
        func load(_ range: Range<Int>) throws {
            let lines = range.map { "key\($0)\tvalue \($0) of a store that is to be damaged\n" }.joined()
            try Silt.run("load", "-q", "-f", "tsv", path, input: Array(lines.utf8)).expect(status: 0)
        }
        try load(0..<300)
        try Silt.run("compact", "-q", path).expect(status: 0)
        try load(300..<400)
        try Silt.run("put", path, "last", "in the log").expect(status: 0)
        return path
    }

    private func lines(_ path: String) throws -> Set<Substring> {
        let dump = try Silt.run("dump", "-f", "tsv", path)
        dump.expect(status: 0)
        return Set(dump.text.split(separator: "\n"))
    }

    @Test("of whatever file is damaged, cut or missing, a clean store remains, with nothing invented")
    func sample() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        let before = try lines(path)
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0 != "LOCK" }.sorted()
        for (index, name) in names.flatMap({ [$0, $0, $0] }).enumerated() {
            let copy = directory.file("copy\(index)")
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            let file = URL(fileURLWithPath: copy + "/" + name)
            var bytes = try Data(contentsOf: file)
            switch index % 3 {
            case 0: bytes[bytes.count / 2] ^= 0x20
            case 1: bytes = bytes.prefix(bytes.count / 3)
            default: break
            }
            if index % 3 == 2 { try FileManager.default.removeItem(at: file) } else { try bytes.write(to: file) }
            let what = "\(name), \(index % 3)"
            let isBad = try Silt.run("verify", copy).status != 0
            let repair = try Silt.run("repair", copy)
            repair.expect(status: 0)
            #expect(repair.text.contains("lost: ") == isBad, "\(what): \(repair.text)")
            try Silt.run("verify", copy).expect(status: 0)
            let after = try lines(copy)
            #expect(after.isSubset(of: before), "\(what)")
            // Names alone hold nothing: without them all is still proved.
            if name == "CURRENT" || name.hasSuffix(".manifest") { #expect(after == before, "\(what)") }
            if !isBad { #expect(after == before, "\(what)") }
        }
    }

    @Test("a repair tells of tables whose rows and indexes do not agree")
    func tables() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("store")
        let script = """
            CREATE TABLE City (id INTEGER PRIMARY KEY, size INTEGER); CREATE INDEX bySize ON City (size);
            INSERT INTO City VALUES (1, 10), (2, 20), (3, 30)
            """
        try Silt.run("query", path, script).expect(status: 0)
        try Silt.run("verify", path).expect(status: 0)
        // As damage would, it takes an entry of the index, or a row.
        let store = try KeyValueStore.open(at: path)
        var last: [UInt8] = []
        try store.forEach(from: nil, to: nil, reverse: true, limit: 1) { key, _ in
            last = key.withUnsafeBytes { Array($0) }
            return true
        }
        try store.delete(last)
        try store.close()
        try Silt.run("verify", path).expect(status: 1, error: "in the tables")
        try FileManager.default.removeItem(atPath: path + "/CURRENT")
        let repair = try Silt.run("repair", path)
        repair.expect(status: 1, error: "drop and make again indexes")
        #expect(repair.text.contains("City"))
        try Silt.run("repair", path).expect(status: 0)
    }
}
