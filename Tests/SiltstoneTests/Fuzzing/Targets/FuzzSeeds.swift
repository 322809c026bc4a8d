import CRUDKit
import Foundation

@testable import Siltstone

extension FuzzTarget {
    /// Inputs to begin with, by name: what the engine writes itself.
    func seeds() throws -> [String: [UInt8]] {
        let (plain, compressed) = (FuzzFiles.store, FuzzFiles.compressedStore)
        func file(_ store: [String: [UInt8]], _ header: FileHeader) -> [UInt8] {
            store[FuzzFiles.name(header)] ?? []
        }
        switch self {
        case .log: return ["log": file(plain, FuzzFiles.logHeader)]
        case .segment:
            return [
                "plain": file(plain, FuzzFiles.segmentHeader), "compressed": file(compressed, FuzzFiles.segmentHeader),
                "undigested": try FuzzFiles.oldSegment(.none),
                "undigested-compressed": try FuzzFiles.oldSegment(.deflate(level: 6)),
            ]
        case .manifest:
            return [
                "manifest": file(plain, FuzzFiles.manifestHeader), "current": plain[StoreFile.current.name] ?? [],
            ]
        case .values: return ["values": file(plain, FuzzFiles.valuesHeader)]
        case .compact: return try Self.messages()
        case .records: return Self.lines
        case .store:
            return [
                "plain": FileBundle(plain).encoded(), "compressed": FileBundle(compressed).encoded(),
                "used": FileBundle(try Self.usedStore()).encoded(),
            ]
        }
    }

    /// A store that has flushed, compacted and been left by a process that died.
    private static func usedStore() throws -> [String: [UInt8]] {
        let fileSystem = InMemoryFileSystem(greatestFileSize: 4 << 20)
        try fileSystem.createDirectory(ExactFileSystem.directory)
        for (name, bytes) in FuzzFiles.store {
            try fileSystem.open(ExactFileSystem.directory + "/" + name, .createNew).writeFully(bytes, at: 0)
        }
        var configuration = Configuration()
        configuration.fileSystem = fileSystem
        configuration.durability = .buffered
        configuration.memTableBytes = 64 << 10
        configuration.largeValueBytes = 64
        configuration.logWriting = .written
        configuration.automaticCompaction = false
        let store = try KeyValueStore.open(at: ExactFileSystem.directory, configuration: configuration)
        for round in 0..<3 {
            for number in 0..<12 {
                try store.put(Array("key\(round)\(number)".utf8), [UInt8](repeating: 1, count: number * 8))
            }
            try store.deleteRange(from: Array("key\(round)3".utf8), to: Array("key\(round)5".utf8))
            if round < 2 { try store.flush() }
            if round == 0 { try store.compact() }
        }
        var contents = try FuzzFiles.contents(fileSystem)
        try store.close()
        for (name, bytes) in contents where name.hasSuffix(".log") {
            // The space that a log has taken ahead is zeros, of which a few will do.
            contents[name] = Array(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? 0) + 48))
        }
        return contents
    }

    private static func messages() throws -> [String: [UInt8]] {
        func item(_ number: Int) -> CompactTarget.Item {
            CompactTarget.Item(
                id: number, name: "name \(number)", score: number.isMultiple(of: 2) ? 0.5 : nil, ratio: 0.25,
                tags: ["a", "b"], map: ["k": [1, -2, 300_000]], when: Date(timeIntervalSinceReferenceDate: 1.5),
                uuid: UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)), data: Data([1, 2, 3]),
                url: URL(string: "https://example.com"), price: Decimal(number) / 4,
                kind: number.isMultiple(of: 2) ? .plain : .special(level: number, ["x"]), small: 200,
                huge: number.isMultiple(of: 2) ? nil : .max)
        }
        let encoder = CompactEncoder()
        return [
            "items": Array(try encoder.encode([item(1), item(2)])),
            "map": Array(try encoder.encode(["a": [1, 2], "b": [-5, 1 << 40]])),
            "bytes": Array(try encoder.encode([[1, 2] as [UInt8], []])),
            "decimal": Array(try encoder.encode(Decimal(5) / 8)),
            // A map in which a key comes twice, and a nest of arrays.
            "repeated": [1, 1, 1, 0x61, 0xc6, 1, 5, 1, 6, 0], "nest": [1, 0, 0xc4, 0xc4, 0xc4, 0xc3, 0xc3, 0xc3],
        ]
    }

    private static let lines: [String: [UInt8]] = [
        "json": Array(
            """
            {"key":"a","value":"1"}
            { "value_base64" : "AAEC/w==" , "key" : "\\u00e9\\ud83d\\ude00\\n\\\\" }
            {"key":"é€😀","value":""}

            """.utf8),
        "tsv": [1] + Array("a\t1\nb\\x00\\\\\\t\t\\n\\r\nc\t\r\n".utf8),
    ]
}
