import Testing

@testable import Siltstone

/// Bytes that look like structure at every place, and would make a search for structure among them go on for ever.
struct LookalikeTests {
    @Test("The search behind a damaged value of small numbers ends after a few readings of the file")
    func valueOfSmallNumbers() throws {
        let fileSystem = InMemoryFileSystem(greatestFileSize: 1 << 20)
        let file = try fileSystem.open("/000004.values", .createNew)
        let writer = try ValueFileWriter(file: file, number: 4, store: FuzzFiles.identity, isBuffered: false)
        // Each word is the length of a value that ends inside the file, each but the first two the header of a record.
        let words = [UInt8](repeating: 0, count: 256 << 10).enumerated().map { $0.offset % 8 == 1 ? 0x80 : $0.element }
        try withContiguousBytes(Array("eight by".utf8)) { key throws(StoreError) in
            try withContiguousBytes(words) { value throws(StoreError) in
                for sequence in 1...2 as ClosedRange<SequenceNumber> {
                    _ = try writer.append(key: key, value: value, sequence: sequence)
                }
            }
        }
        var scanner = try ValueFileScanner(file, number: 4)
        guard case .record(_, FileHeader.size) = try scanner.next() else {
            Issue.record("the first record is not found")
            return
        }
        try file.writeFully([0], at: FileHeader.size)
        scanner = try ValueFileScanner(file, number: 4)
        guard case .damage(FileHeader.size, writer.size - FileHeader.size) = try scanner.next() else {
            Issue.record("what follows is not taken for damage as a whole")
            return
        }
        #expect(scanner.hasGivenUp)
        if try scanner.next() != nil { Issue.record("there is more behind the end") }
        #expect(scanner.position == writer.size)
    }
}
