import Dispatch
import Synchronization
import Testing

@testable import Siltstone

struct ValueFileTests {
    private static let number: UInt64 = 12
    private static let store = StoreIdentity(high: 3, low: 4)

    /// A value file in the making, and what was put in.
    private struct Fixture {
        let scratch: Scratch
        let fileSystem: any FileSystem
        let path: String
        let writer: ValueFileWriter
        var entries: [(record: OwnedRecord, pointer: ValuePointer)] = []

        init(isBuffered: Bool = false, on system: (any FileSystem)? = nil) throws {
            scratch = try Scratch()
            fileSystem = system ?? scratch.fileSystem
            path = StoreFile.values(ValueFileTests.number).path(in: system == nil ? scratch.path : "/")
            let file = try fileSystem.open(path, .createNew)
            writer = try ValueFileWriter(
                file: file, number: ValueFileTests.number, store: ValueFileTests.store, isBuffered: isBuffered)
        }

        mutating func append(_ record: OwnedRecord) throws {
            let writer = self.writer
            let pointer = try record.withRecord { record throws(StoreError) in
                try writer.append(key: record.key, value: record.value, sequence: record.sequence)
            }
            entries.append((record, pointer))
        }

        mutating func append(random count: Int, seed: UInt64) throws {
            var generator = SeededGenerator(seed)
            for sequence in 0..<count {
                let size = [0, 1, 40, 600, 9000, 70_000, 300_000].randomElement(using: &generator) ?? 0
                let value = [UInt8](repeating: UInt8.random(in: 0...255, using: &generator), count: size)
                let key = [UInt8](repeating: 0x6b, count: Int.random(in: 0...30, using: &generator))
                try append(OwnedRecord(key, value, UInt64(sequence)))
            }
        }

        func open(_ access: FileAccess) throws -> ValueFileReader {
            try ValueFileReader(
                fileSystem: fileSystem, path: path, number: ValueFileTests.number,
                store: ValueFileTests.store, access: access)
        }
    }

    private static func read(
        _ reader: ValueFileReader, _ pointer: ValuePointer, key: [UInt8]
    ) throws(StoreError) -> [UInt8] {
        var pin = BlockPin()
        defer { withExtendedLifetime(pin) {} }
        let result = key.withBytes { key in
            Result { () throws(StoreError) in Array(try reader.read(pointer, key: key, pin: &pin)) }
        }
        return try result.get()
    }

    private static func known(_ mapping: ValueMapping, _ pointer: ValuePointer, key: [UInt8]) -> [UInt8]? {
        key.withBytes { key in mapping.knownValue(pointer, key: key).map { Array($0) } }
    }

    @Test("Values come back, also while the file grows, by both ways of reading", arguments: [false, true])
    func roundTrip(isBuffered: Bool) throws {
        var fixture = try Fixture(isBuffered: isBuffered)
        let readers = try [fixture.open(.mapped), fixture.open(.read)]
        for round in 0..<4 {
            try fixture.append(random: 40, seed: UInt64(round))
            try fixture.writer.flush()
            #expect(try readers[0].size() == fixture.writer.size)
            for reader in readers {
                for (record, pointer) in fixture.entries {
                    #expect(try Self.read(reader, pointer, key: record.key) == record.value)
                }
            }
        }
        try fixture.writer.sync()
    }

    @Test("An unbuffered value can be read as soon as it was appended")
    func unbuffered() throws {
        var fixture = try Fixture()
        let reader = try fixture.open(.mapped)
        for size in [10, 100_000, 500] {
            try fixture.append(OwnedRecord([1], [UInt8](repeating: 3, count: size), 1))
            let last = fixture.entries[fixture.entries.count - 1]
            #expect(try Self.read(reader, last.pointer, key: [1]) == last.record.value)
        }
    }

    @Test("A file that grows is mapped few times, and what is known of its values is not forgotten each time")
    func growth() throws {
        var fixture = try Fixture()
        let reader = try fixture.open(.mapped)
        var mappings: [ValueMapping] = []
        for number in 0..<200 {
            try fixture.append(OwnedRecord([UInt8(number)], [UInt8](repeating: 3, count: 50_000), 1))
            let last = fixture.entries[number]
            #expect(try Self.read(reader, last.pointer, key: last.record.key) == last.record.value)
            let mapping = try #require(reader.currentMapping)
            if mappings.last !== mapping { mappings.append(mapping) }
            #expect(Self.known(mapping, last.pointer, key: last.record.key) == last.record.value)
            #expect(mapping.length == fixture.writer.size)
        }
        // 10 MB: at first as long as it is, then with room for 1 MiB, and twice as much each time.
        #expect(mappings.count <= 7)
    }

    @Test("Where a mapping with room ahead is refused, the file is mapped as it is, and what grows behind it is read")
    func noRoom() throws {
        var fixture = try Fixture(on: InMemoryFileSystem(greatestFileSize: 6 << 20))
        let reader = try fixture.open(.mapped)
        var mappings: [ValueMapping] = []
        for number in 0..<55 {
            try fixture.append(OwnedRecord([UInt8(number)], [UInt8](repeating: 3, count: 100_000), 1))
            for (record, pointer) in [fixture.entries[0], fixture.entries[number]] {
                #expect(try Self.read(reader, pointer, key: record.key) == record.value)
            }
            let mapping = try #require(reader.currentMapping)
            if mappings.last !== mapping { mappings.append(mapping) }
        }
        // As it is, with room three times, up to twice the size or none, and 4 MiB later as it is again at most.
        #expect(mappings.count <= 5)
        #expect(mappings.map(\.capacity).allSatisfy { $0 <= 6 << 20 })
    }

    @Test("A pointer that means another value, key, place or file is refused")
    func wrongPointers() throws {
        var fixture = try Fixture()
        try fixture.append(random: 20, seed: 2)
        for access in [FileAccess.mapped, .read] {
            let reader = try fixture.open(access)
            for (record, pointer) in fixture.entries {
                var wrong = Array(repeating: pointer, count: 8)
                wrong[0].file += 1
                wrong[1].offset += 8
                wrong[2].offset += 1
                wrong[3].offset = 1 << 40
                wrong[4].length += 1
                wrong[5].checksum ^= 1
                wrong[6].offset = .max
                wrong[7].offset = UInt64(Int.max) & ~7
                for pointer in wrong {
                    #expect(throws: StoreError.self) { try Self.read(reader, pointer, key: record.key) }
                }
                // What is known to be right is no other's either.
                #expect(try Self.read(reader, pointer, key: record.key) == record.value)
                guard access == .mapped else { continue }
                let mapping = try #require(reader.currentMapping)
                for pointer in wrong.dropFirst() { #expect(Self.known(mapping, pointer, key: record.key) == nil) }
                #expect(Self.known(mapping, pointer, key: record.key + [1]) == nil)
                #expect(Self.known(mapping, pointer, key: record.key) == record.value)
                #expect(throws: StoreError.self) { try Self.read(reader, pointer, key: record.key + [1]) }
            }
        }
    }

    @Test("A scan finds in the file that it is at what was looked at there, and nothing else")
    func recent() throws {
        var fixture = try Fixture()
        for number in 0..<2 { try fixture.append(OwnedRecord([UInt8(number)], [UInt8](repeating: 9, count: 100), 1)) }
        let reader = try fixture.open(.mapped)
        var recent = RecentValueFile()
        func found(_ index: Int, file: UInt64 = Self.number) -> [UInt8]? {
            var (record, pointer) = fixture.entries[index]
            pointer.file = file
            var encoded = [UInt8](repeating: 0, count: ValuePointer.size)
            encoded.withMutableBytes { pointer.write(to: $0) }
            record = OwnedRecord(record.key, encoded, 1, .pointer)
            return record.withRecord { recent.value(of: $0, before: nil).map { Array($0.value) } }
        }
        #expect(found(0) == nil)
        recent.enter(reader)
        #expect(found(0) == nil)
        _ = try Self.read(reader, fixture.entries[0].pointer, key: fixture.entries[0].record.key)
        recent.enter(reader)
        #expect(found(0) == fixture.entries[0].record.value)
        #expect(found(1) == nil)
        #expect(found(0, file: Self.number + 1) == nil)
    }

    @Test("A damaged value is refused as often as it is asked for")
    func refusedAgain() throws {
        var fixture = try Fixture()
        try fixture.append(OwnedRecord([1], [UInt8](repeating: 3, count: 500), 1))
        let (record, pointer) = fixture.entries[0]
        var damaged = try fixture.scratch.read(fixture.path)
        damaged[Int(pointer.offset) + 100] ^= 1
        try fixture.scratch.write(damaged, to: fixture.path)
        for access in [FileAccess.mapped, .read] {
            let reader = try fixture.open(access)
            for _ in 0..<3 {
                #expect(StoreError.Code.of { try Self.read(reader, pointer, key: record.key) } == .corrupt)
            }
        }
    }

    @Test("Whichever byte is flipped, a value is right or refused")
    func flips() throws {
        var fixture = try Fixture()
        for sequence in 0..<6 {
            try fixture.append(OwnedRecord([5, 6], [UInt8](repeating: 9, count: 37 * sequence), 1))
        }
        let original = try fixture.scratch.read(fixture.path)
        for index in original.indices {
            var damaged = original
            damaged[index] ^= 1 << UInt8(index % 8)
            try fixture.scratch.write(damaged, to: fixture.path)
            for access in [FileAccess.mapped, .read] {
                var refused = 0
                do {
                    let reader = try fixture.open(access)
                    for (record, pointer) in fixture.entries {
                        do {
                            #expect(try Self.read(reader, pointer, key: record.key) == record.value)
                        } catch { refused += 1 }
                    }
                    #expect(refused <= 1)
                } catch {
                    #expect(index < FileHeader.size)
                }
            }
        }
    }

    @Test("A scan gives all records in order, and after damage goes on with the next one")
    func scan() throws {
        var fixture = try Fixture(isBuffered: true)
        try fixture.append(random: 60, seed: 6)
        try fixture.writer.sync()
        let bytes = try fixture.scratch.read(fixture.path)
        for damaged in [nil, 0, 17, 59] {
            var copy = bytes
            if let damaged { copy[Int(fixture.entries[damaged].pointer.offset) + 17] ^= 4 }
            try fixture.scratch.write(copy, to: fixture.path)
            let file = try fixture.scratch.fileSystem.open(fixture.path, .read)
            var scanner = try ValueFileScanner(file, number: Self.number)
            var found: [Int] = []
            var lost: [Int] = []
            while let item = try scanner.next() {
                switch item {
                case .record(let record, let offset):
                    found.append(offset)
                    let entry = fixture.entries.first { Int($0.pointer.offset) == offset }
                    #expect(entry?.record.value == Array(record.value) && entry?.record.key == Array(record.key))
                    #expect(entry?.pointer.checksum == record.checksum)
                case .damage(let offset, _): lost.append(offset)
                }
            }
            let offsets = fixture.entries.map { Int($0.pointer.offset) }
            #expect(found == offsets.enumerated().filter { $0.offset != damaged }.map(\.element))
            #expect(lost == (damaged.map { [offsets[$0]] } ?? []))
            #expect(scanner.position == bytes.count)
        }
    }

    @Test("A scan passes zeros behind damage, however many, and misses no record behind them")
    func scanZeros() throws {
        var fixture = try Fixture(isBuffered: true)
        for zeros in Array(stride(from: 0, through: 200, by: 7)) + Array(stride(from: 3_900, through: 8_400, by: 8)) {
            try fixture.append(OwnedRecord([], [UInt8](repeating: 0, count: zeros), 1))
            try fixture.append(OwnedRecord([7], [1], 2))
        }
        try fixture.writer.sync()
        var bytes = try fixture.scratch.read(fixture.path)
        let offsets = fixture.entries.map { Int($0.pointer.offset) }
        // Of each first record nothing is left but zeros.
        for (index, offset) in offsets.enumerated() where index % 2 == 0 {
            for place in offset..<offsets[index + 1] { bytes[place] = 0 }
        }
        try fixture.scratch.write(bytes, to: fixture.path)
        let file = try fixture.scratch.fileSystem.open(fixture.path, .read)
        var scanner = try ValueFileScanner(file, number: Self.number)
        var (found, lost): ([Int], [Int]) = ([], [])
        while let item = try scanner.next() {
            switch item {
            case .record(_, let offset): found.append(offset)
            case .damage(let offset, _): lost.append(offset)
            }
        }
        #expect(found == offsets.enumerated().filter { $0.offset % 2 == 1 }.map(\.element))
        #expect(lost == offsets.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
    }

    @Test("Threads read a value file while it is written")
    func concurrent() throws {
        var fixture = try Fixture()
        let reader = try fixture.open(.mapped)
        let published = Mutex<[(OwnedRecord, ValuePointer)]>([])
        let failures = Atomic<Int>(0)
        let isDone = Atomic<Bool>(false)
        let group = DispatchGroup()
        for _ in 0..<2 {
            DispatchQueue.global().async(group: group) {
                repeat {
                    for (record, pointer) in published.withLock({ $0 }) {
                        do {
                            if try Self.read(reader, pointer, key: record.key) != record.value {
                                failures.add(1, ordering: .relaxed)
                            }
                        } catch { failures.add(1, ordering: .relaxed) }
                    }
                } while !isDone.load(ordering: .acquiring)
            }
        }
        for round in 0..<20 {
            try fixture.append(random: 10, seed: UInt64(round))
            let recent = fixture.entries.suffix(40)
            published.withLock { $0 = recent.map { ($0.record, $0.pointer) } }
        }
        isDone.store(true, ordering: .releasing)
        group.wait()
        #expect(failures.load(ordering: .relaxed) == 0)
    }
}
