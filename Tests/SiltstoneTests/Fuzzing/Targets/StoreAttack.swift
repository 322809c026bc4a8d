@testable import Siltstone

/// Does to a directory of files, of which nothing is known, all that can be done to a store.
struct StoreAttack {
    private let files: [String: [UInt8]]
    /// Whether files contradict each other at most as a crash leaves them, so that what is read twice has to be the same.
    private let isHonest: Bool

    private init(_ files: [String: [UInt8]], isHonest: Bool) {
        self.files = files
        self.isHonest = isHonest
    }

    /// Reads, writes and repairs, each from the files as they were given.
    static func run(_ files: [String: [UInt8]], isHonest: Bool = false) throws {
        let attack = StoreAttack(files, isHonest: isHonest)
        for access in [FileAccess.mapped, .read] {
            do { try attack.read(access) } catch is StoreError {}
        }
        do { try attack.write() } catch is StoreError {}
        try attack.repair()
    }

    private var configuration: Configuration {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 64 << 10
        configuration.segmentBytes = 64 << 10
        configuration.blockBytes = 4 << 10
        configuration.largeValueBytes = 64
        configuration.valueFileBytes = 64 << 10
        configuration.cacheBytes = 64 << 10
        configuration.logWriting = .written
        // In the background it would be another one for each replay.
        configuration.automaticCompaction = false
        return configuration
    }

    /// Opens for reading, on mappings behind which the address sanitizer watches.
    private func read(_ access: FileAccess) throws {
        var configuration = configuration
        configuration.fileSystem = ExactFileSystem(files: files)
        configuration.readOnly = true
        configuration.access = access
        let store = try KeyValueStore.open(at: ExactFileSystem.directory, configuration: configuration)
        defer { withExtendedLifetime(store) {} }
        let isClean = try store.verify().problems.isEmpty
        _ = store.statistics
        let forward = try entries(store)
        let backward = try entries(store, reverse: true)
        for entry in forward + backward {
            let value = try store.get(entry.key)
            if isHonest && isClean { try FuzzFailure.unless(value == entry.value, "a scan and a get disagree") }
        }
        if isHonest && isClean {
            try FuzzFailure.unless(forward == backward.reversed(), "scans of both directions disagree")
        }
        try store.close()
    }

    /// Opens for writing, and does all that rewrites files.
    private func write() throws {
        let fileSystem = try copy()
        var configuration = configuration
        configuration.fileSystem = fileSystem
        let store = try KeyValueStore.open(at: ExactFileSystem.directory, configuration: configuration)
        do {
            try store.put(Array("key33".utf8), Array("new".utf8))
            try store.put(Array("large too".utf8), [UInt8](repeating: 7, count: 100))
            try store.deleteRange(from: Array("key35".utf8), to: Array("key37".utf8))
            let before = try entries(store)
            try store.flush()
            try store.compact()
            let after = try entries(store)
            if isHonest { try FuzzFailure.unless(before == after, "a compaction changed what is read") }
            _ = store.statistics
            try store.put(Array("last".utf8), Array("one".utf8))
        } catch {
            // The first error is the one to tell.
            do { try store.close() } catch {}
            throw error
        }
        try store.close()
        let again = try KeyValueStore.open(at: ExactFileSystem.directory, configuration: configuration)
        let last = try again.get(Array("last".utf8))
        if isHonest { try FuzzFailure.unless(last == Array("one".utf8), "what was put last is not there") }
        try again.close()
    }

    /// Repairs. What comes of it has to be a store, whatever it was.
    private func repair() throws {
        let fileSystem = try copy()
        var configuration = configuration
        configuration.fileSystem = fileSystem
        do { _ = try KeyValueStore.repair(at: ExactFileSystem.directory, configuration: configuration) } catch {
            // What is of another version, or no store at all, is not repaired.
            let isTold = error.code == .unsupportedFormat || error.code == .notAStore
            return try FuzzFailure.unless(isTold, "repair fails: \(error)")
        }
        do {
            let store = try KeyValueStore.open(at: ExactFileSystem.directory, configuration: configuration)
            let problems = try store.verify().problems
            try FuzzFailure.unless(problems.isEmpty, "a repaired store is damaged: \(problems[0])")
            _ = try entries(store)
            try store.put(Array("last".utf8), Array("one".utf8))
            try store.close()
        } catch let error as StoreError {
            throw FuzzFailure("a repaired store is none: \(error)")
        }
    }

    private func copy() throws -> InMemoryFileSystem {
        let fileSystem = InMemoryFileSystem(greatestFileSize: 4 << 20)
        try fileSystem.createDirectory(ExactFileSystem.directory)
        for (name, bytes) in files where !name.isEmpty && !name.contains("/") && name != "." && name != ".." {
            let path = ExactFileSystem.directory + "/" + name
            let file = try fileSystem.open(path, .createNew)
            try file.writeFully(bytes, at: 0)
            try file.close()
        }
        return fileSystem
    }

    private func entries(_ store: KeyValueStore, reverse: Bool = false) throws -> [Entry] {
        let cursor = try store.scan(reverse: reverse)
        var entries: [Entry] = []
        while let entry = try cursor.next() {
            entries.append(entry)
            // No record is smaller than the five bytes that it takes somewhere.
            try FuzzFailure.unless(
                entries.count <= files.values.reduce(1000) { $0 + $1.count }, "a scan does not come to an end")
        }
        return entries
    }
}
