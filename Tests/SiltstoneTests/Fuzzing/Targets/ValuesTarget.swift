@testable import Siltstone

/// The input is a value file. What the scanner finds, the reader has to find too; and a pointer may say anything.
enum ValuesTarget {
    static func run(_ bytes: [UInt8]) throws {
        let header = FuzzFiles.valuesHeader
        let fileSystem = ExactFileSystem(files: [FuzzFiles.name(header): bytes])
        let path = ExactFileSystem.directory + "/" + FuzzFiles.name(header)
        let pointers = try scan(fileSystem, path, bytes)
        for access in [FileAccess.mapped, .read] {
            do {
                let reader = try ValueFileReader(
                    fileSystem: fileSystem, path: path, number: header.number, store: header.store, access: access)
                for (pointer, key, value) in pointers { try read(pointer, key, value, reader) }
                for pointer in hostile(bytes) { attack(pointer, reader) }
            } catch is StoreError {}
        }
        var files = FuzzFiles.store
        files[FuzzFiles.name(header)] = bytes
        try StoreAttack.run(files, isHonest: true)
    }

    private typealias Found = (pointer: ValuePointer, key: [UInt8], value: [UInt8])

    private static func scan(_ fileSystem: ExactFileSystem, _ path: String, _ bytes: [UInt8]) throws -> [Found] {
        var scanner = try ValueFileScanner(try fileSystem.open(path, .read), number: FuzzFiles.valuesHeader.number)
        var found: [Found] = []
        var end = FileHeader.size
        while let item = try scanner.next() {
            switch item {
            case .record(let record, let offset):
                try FuzzFailure.unless(offset == end, "the scanner leaves out bytes")
                end += ValueRecord.size(key: record.key.count, value: record.value.count)
                let pointer = ValuePointer(
                    file: FuzzFiles.valuesHeader.number, offset: UInt64(offset), length: UInt32(record.value.count),
                    checksum: record.checksum)
                found.append((pointer, Array(record.key), Array(record.value)))
            case .damage(let offset, let count):
                try FuzzFailure.unless(offset == end && count > 0, "the scanner leaves out bytes")
                end = offset + count
                try FuzzFailure.unless(
                    scanner.hasGivenUp || !holdsRecord(bytes, offset..<end), "the scanner takes a record for damage")
            }
        }
        try FuzzFailure.unless(end >= bytes.count, "the scanner stops before the end")
        return found
    }

    /// Whether a record begins in a range, found the plainest way.
    private static func holdsRecord(_ bytes: [UInt8], _ range: Range<Int>) -> Bool {
        bytes.withBytes { whole in
            stride(from: range.lowerBound, to: min(range.upperBound, bytes.count), by: ValueRecord.alignment).contains {
                let rest = Bytes(rebasing: whole[$0...])
                guard let record = ValueRecord(rest), record.sequence <= .greatest else { return false }
                return record.isValid(rest, file: FuzzFiles.valuesHeader.number, offset: $0)
            }
        }
    }

    private static func read(
        _ pointer: ValuePointer, _ key: [UInt8], _ value: [UInt8], _ reader: ValueFileReader
    ) throws {
        try withContiguousBytes(key) { key throws(any Error) in
            var pin = BlockPin()
            let read = Array(try reader.read(pointer, key: key, pin: &pin))
            withExtendedLifetime(pin) {}
            try FuzzFailure.unless(read == value, "the reader reads another value than the scanner")
        }
    }

    /// Pointers out of the input's own bytes.
    private static func hostile(_ bytes: [UInt8]) -> [ValuePointer] {
        stride(from: FileHeader.size, to: min(bytes.count, 512), by: 16).map { offset in
            ValuePointer(
                file: FuzzFiles.valuesHeader.number, offset: Seal.load(bytes, offset, 2 << (offset & 32 >> 5)) & ~7,
                length: UInt32(Seal.load(bytes, offset + 8, 4)), checksum: UInt32(Seal.load(bytes, offset, 4)))
        }
    }

    private static func attack(_ pointer: ValuePointer, _ reader: ValueFileReader) {
        var pin = BlockPin()
        do { _ = try reader.read(pointer, key: .emptyBytes, pin: &pin) } catch {}
        withExtendedLifetime(pin) {}
    }
}
