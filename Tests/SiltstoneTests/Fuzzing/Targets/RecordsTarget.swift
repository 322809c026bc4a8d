import Foundation

@testable import SiltTool

/// The input is a file for `silt load`: JSON lines, or, behind a first byte that is odd, tab-separated ones.
enum RecordsTarget {
    static func run(_ bytes: [UInt8]) throws {
        guard let first = bytes.first else { return }
        let format = first & 1 == 1 ? RecordFormat.tabSeparated : .jsonLines
        let pipe = Pipe()
        // All of it fits into a pipe at once.
        try pipe.fileHandleForWriting.write(contentsOf: bytes.dropFirst().prefix(32 << 10))
        try pipe.fileHandleForWriting.close()
        var lines = LineReader(pipe.fileHandleForReading.fileDescriptor, name: "input")
        var reader = RecordReader(format)
        while let line = try lines.next() {
            do {
                guard let record = try reader.parse(line) else { continue }
                let pair = (Array(record.key), Array(record.value))
                try FuzzFailure.unless(
                    pair.0.count + pair.1.count <= line.count, "a record is longer than its line")
                try check(pair, format)
            } catch let error as FormatError {
                try FuzzFailure.unless(
                    (1...line.count + 1).contains(error.column), "column \(error.column) is not in the line")
            }
        }
        try pipe.fileHandleForReading.close()
    }

    /// What was read and is written has to be read again as it was.
    private static func check(_ pair: ([UInt8], [UInt8]), _ format: RecordFormat) throws {
        var output = OutputBuffer()
        try pair.0.withUnsafeBytes { key in
            try pair.1.withUnsafeBytes { value in
                try RecordWriter(format).write(RawRecord(key: Bytes(key), value: Bytes(value)), to: &output)
            }
        }
        var reader = RecordReader(format)
        let isSame = try output.contents.dropLast().withUnsafeBytes { line in
            guard let record = try reader.parse(Bytes(line)) else { return false }
            return record.key.elementsEqual(pair.0) && record.value.elementsEqual(pair.1)
        }
        try FuzzFailure.unless(isSame, "a record that was dumped is loaded as another one")
    }
}
