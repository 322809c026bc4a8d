import Foundation
import Siltstone
import TableKit

/// A store for data that exceeds memory, in a temporary directory that is removed with the object. Writes are buffered: only
/// new files are synced.
final class ScratchStore {
    private let store: KeyValueStore
    let path: String

    /// - Parameter fileSystem: the file system with the temporary directory.
    init(_ fileSystem: any FileSystem = POSIXFileSystem()) throws {
        let directory = FileManager.default.temporaryDirectory
            .appendingPathComponent("siltstone-scratch-\(UUID().uuidString)")
        path = directory.path
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 16 << 20
        configuration.changeFeedBytes = 64 << 10
        configuration.fileSystem = fileSystem
        do { store = try KeyValueStore.open(at: path, configuration: configuration) } catch {
            Self.remove(path)
            throw error
        }
    }

    deinit {
        // On a full disk, closing may fail. It has released the files all the same, and their space is needed.
        do { try store.close() } catch {}
        Self.remove(path)
    }

    /// Removes the directory of a store. Ignores errors, because a query must not fail for it, and the system cleans
    /// the temporary directory.
    private static func remove(_ path: String) {
        do { try FileManager.default.removeItem(atPath: path) } catch {}
    }

    func write(_ batch: WriteBatch) throws { try store.write(batch) }

    /// Iterates over the entries whose keys are in `[from, to)`.
    func scan(from: [UInt8]? = nil, to: [UInt8]? = nil) throws -> Cursor { try store.scan(from: from, to: to) }

    /// Runs `body` with the value of a key, which must exist.
    func withValue<R>(_ key: [UInt8], _ body: (RawSpan) throws -> R) throws -> R {
        guard let result = try store.withValue(key, body) else {
            throw CRUDSQLExeError("A row that was written to the scratch store is missing.", code: .engine)
        }
        return result
    }

    // MARK: Sets
    // A store that keeps a set is not written to otherwise. The first byte of a key is 0 for a key of the set, and 1 for
    // the hash of a key that is too long for the store.

    /// Inserts a key of any length into a set.
    /// - Returns: true if it is new.
    func insert(_ key: [UInt8]) throws -> Bool {
        if key.count < Limits.keyBytes { return try store.insert([0] + key, []) }
        var hasher = Hasher()
        unsafe key.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return try insert(long: key, hash: hasher.finalize())
    }

    /// Inserts a key that is too long for the store into a set: as the value of its hash. A number follows the hash,
    /// because different keys may have one hash.
    /// - Returns: true if it is new.
    func insert(long key: [UInt8], hash: Int) throws -> Bool {
        var number: UInt32 = 0
        while true {
            var place: [UInt8] = [1]
            unsafe withUnsafeBytes(of: hash) { unsafe place += $0 }
            unsafe withUnsafeBytes(of: number) { unsafe place += $0 }
            let isSame = try store.withValue(place) { known in
                unsafe known.withUnsafeBytes { known in
                    unsafe key.withUnsafeBytes { unsafe RowBytes.order(known, $0) == 0 }
                }
            }
            guard let isSame else { return try store.insert(place, key) }
            if isSame { return false }
            number += 1
        }
    }
}
