import Foundation
import Testing

@testable import SiltTool

/// SplitMix64 (Steele, Lea and Flood, 2014): the same numbers from the same seed, everywhere.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ value >> 30) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ value >> 27) &* 0x94d0_49bb_1331_11eb
        return value ^ value >> 31
    }

    /// Bytes of a random length up to `limit`: random ones, or text with what formats must escape.
    mutating func bytes(_ limit: Int) -> [UInt8] {
        let count = Int.random(in: 0...limit, using: &self)
        if Bool.random(using: &self) { return (0..<count).map { _ in UInt8.random(in: 0...255, using: &self) } }
        let pieces = [
            "a", "key", "\"", "\\", "\n", "\t", "\r", "\u{0}", "\u{1f}", "\u{7f}", "ß", "€", "😀", "\u{85}", " ",
        ]
        let text = (0..<count).map { _ in pieces.randomElement(using: &self) ?? "" }.joined()
        return Array(text.utf8)
    }
}

/// A key and a value that a test owns.
struct Pair: Hashable, Comparable {
    var key: [UInt8]
    var value: [UInt8]

    init(_ key: [UInt8], _ value: [UInt8]) { (self.key, self.value) = (key, value) }
    init(_ key: String, _ value: String) { self.init(Array(key.utf8), Array(value.utf8)) }

    static func < (a: Pair, b: Pair) -> Bool { a.key.lexicographicallyPrecedes(b.key) }
}

/// What a reader makes of a line: a record, nothing, or an error.
enum Parsed: Equatable {
    case record(Pair)
    case nothing
    case failure(column: Int, reason: String)
}

/// Reads one line.
func parse(_ line: [UInt8], _ format: RecordFormat) -> Parsed {
    var reader = RecordReader(format)
    return parse(line, &reader)
}

/// Reads one line with a reader that may have read others.
func parse(_ line: [UInt8], _ reader: inout RecordReader) -> Parsed {
    var buffer = ByteBuffer()
    for byte in line { buffer.append(byte) }
    do {
        guard let record = try reader.parse(buffer.bytes) else { return .nothing }
        return .record(Pair(Array(record.key), Array(record.value)))
    } catch {
        return .failure(column: error.column, reason: error.reason)
    }
}

/// One record as a line of text, without its line feed.
func line(_ pair: Pair, _ format: RecordFormat) throws -> [UInt8] {
    var output = OutputBuffer()
    try pair.key.withUnsafeBytes { key in
        try pair.value.withUnsafeBytes { value in
            try RecordWriter(format).write(RawRecord(key: Bytes(key), value: Bytes(value)), to: &output)
        }
    }
    let contents = output.contents
    #expect(contents.last == UInt8(ascii: "\n"))
    return contents.dropLast()
}

/// A directory of a test's own, removed with it.
final class TemporaryDirectory {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("silt-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }

    deinit {
        do { try FileManager.default.removeItem(atPath: path) } catch { Issue.record(error) }
    }

    /// The path of a file in the directory.
    func file(_ name: String) -> String { path + "/" + name }

    /// Makes a file.
    func write(_ name: String, _ bytes: some Sequence<UInt8>) throws -> String {
        try Data(bytes).write(to: URL(fileURLWithPath: file(name)))
        return file(name)
    }

    /// The bytes of a file.
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(fileURLWithPath: file(name)))) }
}
