import Foundation
import Siltstone

/// A store for data that exceeds memory, in a temporary directory that is removed with the object. Never synced.
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
            // The system cleans the temporary directory. The query must not fail for it.
        }
    }

    func write(_ batch: WriteBatch) throws { try store.write(batch) }

    func scan() throws -> Cursor { try store.scan() }

    /// Inserts a key.
    /// - Returns: true if it is new.
    func insert(_ key: [UInt8]) throws -> Bool { try store.insert(key, []) }
}
