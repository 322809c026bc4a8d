import Foundation
import Siltstone

/// A store for what does not fit into memory, in a temporary directory that goes with the object. Nothing in it is synced.
final class ScratchStore {
    private let store: KeyValueStore
    private let path: String

    init() throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("siltstone-scratch-\(UUID().uuidString)")
        path = directory.path
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 16 << 20
        configuration.changeFeedBytes = 64 << 10
        store = try KeyValueStore.open(at: path, configuration: configuration)
    }

    deinit {
        do {
            try store.close()
            try FileManager.default.removeItem(atPath: path)
        } catch {
            // Left behind in the temporary directory, where the system removes it: no query fails for it.
        }
    }

    func write(_ batch: WriteBatch) throws { try store.write(batch) }

    func scan() throws -> Cursor { try store.scan() }

    /// Adds a key.
    /// - Returns: whether it is new.
    func insert(_ key: [UInt8]) throws -> Bool { try store.insert(key, []) }
}
