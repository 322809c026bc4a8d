import Foundation
import Siltstone
import Testing

@testable import SiltTool

struct MaintenanceTests {
    /// A store with a few hundred records in a segment, closed.
    private func store(in directory: TemporaryDirectory) throws -> String {
        let path = directory.file("store")
        let lines = (0..<500).map { "key\($0)\tvalue \($0) of a store that is to be looked after\n" }.joined()
        try Silt.run("load", "-q", "-f", "tsv", path, input: Array(lines.utf8)).expect(status: 0)
        try Silt.run("compact", "-q", path).expect(status: 0)
        return path
    }

    /// The names and bytes of a directory's files.
    private func contents(_ path: String) throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: path + "/" + name))
        }
        return contents
    }

    /// Changes a byte in the middle of the largest segment.
    private func damage(_ path: String) throws -> String {
        let segments = try contents(path).filter { $0.key.hasSuffix(".segment") }
        let (name, bytes) = try #require(segments.max { $0.value.count < $1.value.count })
        var changed = bytes
        changed[changed.count / 2] ^= 0x10
        try changed.write(to: URL(fileURLWithPath: path + "/" + name))
        return name
    }

    @Test("Commands that read change nothing on disk")
    func readersChangeNothing() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        let before = try contents(path)
        for command in ["scan", "dump", "stat", "verify"] { try Silt.run(command, path).expect(status: 0) }
        try Silt.run("get", path, "key1").expect(status: 0)
        try Silt.run("get", path, "none").expect(status: 1)
        #expect(try contents(path) == before)
    }

    @Test("No command but put and load makes a store")
    func missingStore() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("none")
        for command in ["scan", "dump", "stat", "verify", "compact"] {
            try Silt.run(command, path).expect(status: 2, error: path)
        }
        try Silt.run("get", path, "k").expect(status: 2, error: path)
        try Silt.run("delete", path, "k").expect(status: 2, error: path)
        try Silt.run("checkpoint", path, path + "2").expect(status: 2, error: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("A file, and a directory of something else, are no stores")
    func notAStore() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("file", [1])
        try Silt.run("put", file, "k", "v").expect(status: 2, error: file)
        try Silt.run("put", directory.path, "k", "v").expect(status: 2, error: directory.path)
        #expect(try contents(directory.path).keys.sorted() == ["file"])
    }

    @Test("A store that another owns is refused")
    func locked() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        let owner = try KeyValueStore.open(at: path)
        try Silt.run("get", path, "key1").expect(status: 3)
        try Silt.run("put", path, "k", "v").expect(status: 3, error: "held by")
        try Silt.run("load", path, input: Array("broken\n".utf8)).expect(status: 3)
        try owner.close()
        try Silt.run("put", path, "k", "v").expect(status: 0)
    }

    @Test("Damage is found by verify with its file, and repaired by repair")
    func damaged() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        try Silt.run("verify", path).expect(status: 0)
        let name = try damage(path)
        let verify = try Silt.run("verify", path)
        verify.expect(status: 1, error: "1 problem")
        #expect(verify.text.contains("\(name), offset "))
        let json = try Silt.run("verify", "--json", path)
        #expect(json.status == 1)
        #expect(json.text.contains("\"problems\" : ["))
        try Silt.run("dump", path).expect(status: 4, error: name)

        let repair = try Silt.run("repair", path)
        repair.expect(status: 0)
        #expect(repair.text.contains(name))
        #expect(repair.text.contains("put aside: "))
        #expect(repair.text.contains("taken out of damaged files"))
        #expect(repair.text.contains("lost: "))
        try Silt.run("verify", path).expect(status: 0)
        try Silt.run("dump", path).expect(status: 0)
    }

    @Test("A quiet repair tells of losses, and of nothing else")
    func quietRepair() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        #expect(try Silt.run("repair", "--quiet", path).text == "")
        _ = try damage(path)
        let repair = try Silt.run("repair", "--quiet", path)
        repair.expect(status: 0)
        let lines = repair.text.split(separator: "\n")
        #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("lost: ") }, "\(repair.text)")
    }

    @Test("A store of a newer format is refused")
    func newerFormat() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        try Data("siltstone 2 000001.manifest \(checksum("siltstone 2 000001.manifest "))\n".utf8)
            .write(to: URL(fileURLWithPath: path + "/CURRENT"))
        try Silt.run("get", path, "key1").expect(status: 4, error: "CURRENT")
    }

    /// The CRC-32 of a text, bit by bit, in eight hexadecimal digits.
    private func checksum(_ text: String) -> String {
        var value: UInt32 = 0xffff_ffff
        for byte in text.utf8 {
            value ^= UInt32(byte)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xedb8_8320 : value >> 1 }
        }
        let digits = String(~value, radix: 16)
        return String(repeating: "0", count: 8 - digits.count) + digits
    }

    @Test("A checkpoint holds the same records, and is not made over something")
    func checkpoint() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        let copy = directory.file("copy")
        try Silt.run("checkpoint", path, copy).expect(status: 0)
        #expect(try Silt.run("dump", copy).output == Silt.run("dump", path).output)
        let file = try directory.write("file", [])
        #expect(try Silt.run("checkpoint", path, file).status != 0)
    }

    @Test("Stat shows the levels, and as JSON the same numbers")
    func stat() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        let text = try Silt.run("stat", path)
        text.expect(status: 0)
        #expect(text.text.hasPrefix("store      \(path)\n"))
        #expect(text.text.contains("segments"))
        #expect(text.text.contains("#"))
        #expect(try Silt.run("stat", "--json", path).text.contains("\"levels\" : ["))
    }

    @Test("Stat calls no value garbage because its record is not in a segment yet, and knows no writes")
    func statOfFreshValues() throws {
        let directory = try TemporaryDirectory()
        let path = directory.file("fresh")
        try Silt.run("put", path, "k", input: [UInt8](repeating: 7, count: 100 << 10)).expect(status: 0)
        let text = try Silt.run("stat", path).text
        #expect(text.contains("not referred to by segments"))
        #expect(!text.contains("garbage") && !text.contains("write"), "\(text)")
        let page = directory.file("page.html")
        try Silt.run("report", "--quiet", "--html", page, path).expect(status: 0)
        #expect(String(decoding: try directory.read("page.html"), as: UTF8.self).contains(" KiB perhaps dead"))
    }

    @Test("Compaction takes ranges and keeps every record")
    func compact() throws {
        let directory = try TemporaryDirectory()
        let path = try store(in: directory)
        let before = try Silt.run("dump", path).output
        #expect(try Silt.run("compact", path).text.hasPrefix("compacted "))
        try Silt.run("compact", "--quiet", "--prefix", "key1", path).expect(status: 0)
        #expect(try Silt.run("compact", "--json", "--from", "key3", path).text.contains("\"bytesAfter\" : "))
        #expect(try Silt.run("dump", path).output == before)
    }
}
