import Foundation
import Synchronization
import Testing

@testable import Siltstone

/// A directory for one store, on files of the operating system or in memory.
final class StoreFixture: Sendable {
    let fileSystem: any FileSystem
    let path: String
    private let parent: String?

    /// In memory.
    convenience init() { self.init(InMemoryFileSystem()) }

    init(_ fileSystem: any FileSystem, path: String = "/store") {
        self.fileSystem = fileSystem
        self.path = path
        parent = nil
    }

    /// In a fresh directory of the operating system.
    init(onDisk: Void) throws {
        fileSystem = POSIXFileSystem()
        let parent = FileManager.default.temporaryDirectory.path + "/siltstone-" + UUID().uuidString
        try fileSystem.createDirectory(parent)
        self.parent = parent
        path = parent + "/store"
    }

    deinit {
        if let parent { try? FileManager.default.removeItem(atPath: parent) }
    }

    /// Small parts, so that a few thousand records fill many of them.
    static func small() -> Configuration {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 64 << 10
        // More logs at a time.
        configuration.sealedMemTableLimit = 2
        configuration.segmentBytes = 64 << 10
        configuration.blockBytes = 4 << 10
        configuration.cacheBytes = 1 << 20
        configuration.valueFileBytes = 64 << 10
        // When a store is idle is a matter of chance.
        configuration.tidiesWhenIdle = false
        return configuration
    }

    func open(_ configuration: Configuration = StoreFixture.small()) throws(StoreError) -> KeyValueStore {
        var configuration = configuration
        configuration.fileSystem = fileSystem
        return try KeyValueStore.open(at: path, configuration: configuration)
    }

    /// Opens once the lock is free: a store that was dropped gives it up when its background work has ended.
    func openWhenFree(_ configuration: Configuration = StoreFixture.small()) throws(StoreError) -> KeyValueStore {
        var polling = Polling()
        for _ in 0..<5000 {
            do { return try open(configuration) } catch {
                guard error.code == .locked else { throw error }
                polling.pause()
            }
        }
        return try open(configuration)
    }

    // MARK: Files

    func file(_ name: String) -> String { path + "/" + name }

    func names() throws -> [String] { try fileSystem.entries(of: path).sorted() }

    func names(ending suffix: String) throws -> [String] { try names().filter { $0.hasSuffix(suffix) } }

    func read(_ name: String) throws -> [UInt8] { try fileSystem.open(file(name), .read).readAll() }

    /// Replaces a file, or makes it.
    func write(_ bytes: [UInt8], to name: String) throws {
        if try fileSystem.attributes(of: file(name)) != nil { try fileSystem.remove(file(name)) }
        let opened = try fileSystem.open(file(name), .createNew)
        try opened.writeFully(bytes, at: 0)
        try opened.close()
    }

    /// Flips a bit.
    func flip(_ name: String, at offset: Int) throws {
        var bytes = try read(name)
        bytes[offset] ^= 0x10
        try write(bytes, to: name)
    }

    /// Bytes of all files.
    func totalBytes() throws -> Int {
        try names().reduce(0) { $0 + (try fileSystem.attributes(of: file($1))?.size ?? 0) }
    }

    /// All files of the directory but the lock, as they are.
    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try names() where name != "LOCK" {
            do {
                if try fileSystem.attributes(of: file(name))?.isDirectory == false { contents[name] = try read(name) }
            } catch let error as FileSystemError where error.isMissing {
                continue  // a store in use has removed it since it was listed
            }
        }
        return contents
    }

    /// A copy in memory of the directory as it is: what another process would find if this one died now.
    ///
    /// Reads the files again if one came or went meanwhile, or a manifest was changed: a flush removes a log once the
    /// manifest no longer names it, and a manifest that is read late names segments that the list of files lacks.
    func copy() throws -> StoreFixture {
        func manifests(_ contents: [String: [UInt8]]) -> [String: [UInt8]] {
            contents.filter { $0.key.hasSuffix(".manifest") || $0.key == "CURRENT" }
        }
        var before = try contents()
        while true {
            let contents = try contents()
            if contents.keys == before.keys, manifests(contents) == manifests(before) {
                return try StoreFixture(contents: contents)
            }
            before = contents
        }
    }

    /// With these files.
    /// - Parameters:
    ///   - hasDirectory: false where there is to be nothing at all.
    ///   - fileSystem: where to put them.
    convenience init(
        contents: [String: [UInt8]], hasDirectory: Bool = true, on fileSystem: any FileSystem = InMemoryFileSystem()
    ) throws {
        self.init(fileSystem)
        if hasDirectory { try fileSystem.createDirectory(path) }
        for (name, bytes) in contents { try write(bytes, to: name) }
    }
}

/// Waits for something that other threads bring about.
func waitUntil(_ what: String, _ condition: () throws -> Bool) throws {
    // A queue's turn may come late where all tests run at once.
    var polling = Polling()
    for _ in 0..<20_000 {
        if try condition() { return }
        polling.pause()
    }
    Issue.record("waited in vain for: \(what)")
}

extension StoreError.Code {
    /// The code of what `body` throws; nil where it throws nothing.
    static func of<R>(_ body: () throws -> R) -> StoreError.Code? {
        do {
            _ = try body()
            return nil
        } catch { return (error as? StoreError)?.code }
    }
}

extension Engine {
    /// Seals the memtable, with nobody to flush it, and begins the next log.
    func beginNextLog() throws(StoreError) {
        // A flush that has begun clears the flag and looks for the next sealed memtable when it is done.
        for queue in background.queues { queue.sync {} }
        background.flushScheduled.store(true, ordering: .sequentiallyConsistent)
        let prepared = writes.lock.withLock { writes.state.nextLog }
        let log = if let prepared { prepared } else { try versions.createLog() }
        try writes.lock.withLock { () throws(StoreError) in
            writes.state.nextLog = log
            _ = try writes.switchMemTable(.nothing, .never, since: writes.state.attempts)
        }
    }
}

extension KeyValueStore {
    /// All entries, by a forward scan.
    func allEntries() throws -> [Entry] { try scan().remaining() }
}

extension Cursor {
    func remaining() throws -> [Entry] {
        var entries: [Entry] = []
        while let entry = try next() { entries.append(entry) }
        return entries
    }
}

/// A key of a number, in its order.
func key(_ number: Int) -> [UInt8] {
    let digits = String(number)
    return Array("key".utf8) + Array(String(repeating: "0", count: 9 - digits.count).utf8) + Array(digits.utf8)
}
