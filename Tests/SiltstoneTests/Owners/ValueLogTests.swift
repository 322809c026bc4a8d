import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// The value log alone: which file is in use, and what a failed write leaves.
struct ValueLogTests {
    private struct Parts {
        let fixture: OwnerFixture
        let versions: VersionSet
        let values: ValueLog

        init() throws {
            fixture = try OwnerFixture()
            versions = fixture.makeVersions()
            values = ValueLog(versions, fixture.makeReads())
        }

        func collect(inMemory: () -> Set<UInt64>) throws(StoreError) {
            try versions.dropValueFiles(isOrdered: true) { values.filesInUse.union(inMemory()) }
        }
    }

    @Test("values go to one file until it is full, and then to the next", .comesToAnEnd)
    func files() throws {
        let parts = try Parts()
        let first = try parts.values.append("a", count: 10_000)
        #expect(try parts.values.append("b", count: 10_000).file == first.file)
        for number in 0..<10 { try parts.values.append("c\(number)", count: 10_000) }
        let last = try parts.values.append("d", count: 10_000)
        #expect(last.file > first.file && parts.values.current?.number == last.file)
        #expect(parts.versions.current.valueFiles.keys.sorted() == [first.file, last.file])
    }

    @Test(
        "a write that does not fit on the disk or exceeds a limit is rolled back, with the files that it has begun",
        .comesToAnEnd,
        arguments: [StoreError.Code.noSpace, .tooLarge])
    func rollBack(_ reason: StoreError.Code) throws {
        let parts = try Parts()
        try parts.values.append("before", count: 3000)
        let size = try #require(parts.values.current).size
        let code = StoreError.Code.of {
            try parts.values.withLock { () throws(StoreError) in
                try parts.values.rollingBack { () throws(StoreError) in
                    for _ in 0..<9 {
                        _ = try withContiguousBytes([UInt8](repeating: 1, count: 20_000)) { bytes throws(StoreError) in
                            try parts.values.append(.emptyBytes, bytes)
                        }
                    }
                    throw StoreError(reason, "the change does not fit into the log")
                }
            }
        }
        #expect(code == reason)
        let sizes = parts.versions.current.valueFiles.sorted { $0.key < $1.key }.map(\.value.length.bytes)
        #expect(sizes.count > 2)
        #expect(sizes[0] == size && sizes.dropFirst().allSatisfy { $0 == FileHeader.size })
    }

    /// Appends values of 40,000 bytes, as a write that is rejected or made.
    private func write(_ count: Int, isRejected: Bool, to values: ValueLog) throws(StoreError) {
        try values.withLock { () throws(StoreError) in
            _ = try values.rollingBack(ifRejected: { $0 }) { () throws(StoreError) -> Bool in
                for _ in 0..<count {
                    _ = try withContiguousBytes([UInt8](repeating: 1, count: 40_000)) { bytes throws(StoreError) in
                        try values.append(.emptyBytes, bytes)
                    }
                }
                return isRejected
            }
        }
    }

    @Test("a write that is rejected is rolled back each time, and one that is made stays", .comesToAnEnd)
    func rejected() throws {
        let parts = try Parts()
        try parts.values.append("before", count: 3000)
        let file = try #require(parts.values.current)
        let size = file.size
        for _ in 0..<3 {
            try write(1, isRejected: true, to: parts.values)
            #expect(file.size == size && file.isUsable)
        }
        try write(1, isRejected: false, to: parts.values)
        #expect(file.size > size + 40_000 && parts.values.current === file)
    }

    @Test(
        "of the files that rejected writes leave empty, one takes the next value, and compactions collect the rest",
        .comesToAnEnd)
    func emptyFiles() throws {
        let parts = try Parts()
        let requests = Atomic(0)
        parts.values.background.value.compaction = { requests.add(1, ordering: .relaxed) }
        // The second write fills the file to its limit, the third one goes on in another.
        for (count, expected) in [(1, 0), (2, 0), (3, 1)] {
            try write(count, isRejected: true, to: parts.values)
            #expect(requests.load(ordering: .relaxed) == expected, "\(count) values")
        }
        let files = parts.versions.current.valueFiles
        #expect(files.count == 2 && files.values.allSatisfy { $0.length.bytes == FileHeader.size })
        let current = try #require(parts.values.current)
        try parts.collect { [] }
        #expect(parts.versions.current.valueFiles.keys.sorted() == [current.number])
        #expect(try parts.values.append("a", count: 5000).file == current.number)
    }

    @Test("files go when nothing refers to them: no memtable, no segment, no running write", .comesToAnEnd)
    func collection() throws {
        let parts = try Parts()
        let used = try parts.values.append("a", count: 5000).file
        try parts.values.finishFile()
        let unused = try parts.values.append("b", count: 5000).file
        try parts.values.finishFile()
        try parts.values.withLock { () throws(StoreError) in
            try parts.values.rollingBack { () throws(StoreError) in
                // Two files, of which the first one is full.
                for _ in 0..<3 {
                    _ = try withContiguousBytes([UInt8](repeating: 1, count: 40_000)) { bytes throws(StoreError) in
                        try parts.values.append(.emptyBytes, bytes)
                    }
                }
                try parts.collect { [used] }
            }
        }
        let files = parts.versions.current.valueFiles.keys
        #expect(files.count == 3 && files.contains(used) && !files.contains(unused))
        let current = try #require(parts.values.current).number
        try parts.collect { [] }
        #expect(parts.versions.current.valueFiles.keys.sorted() == [current], "it is in use")
    }

    @Test("a failed sync ends all writing", .comesToAnEnd)
    func failedSync() throws {
        let parts = try Parts()
        try parts.values.append("a", count: 5000)
        parts.fixture.disk.setRule { $0.operation == .sync && $0.path.hasSuffix(".values") ? .noSpace : nil }
        #expect(StoreError.Code.of { try parts.values.sync() } == .inputOutput)
        #expect(StoreError.Code.of { try parts.values.append("b", count: 1) } == .refusesWrites)
    }
}
