#if os(Linux)
import Foundation
import Testing

@testable import CRUDKit

/// Whether a repository of files acknowledges only what was synced. Here because the filter of system calls is.
@Suite("Syncs of a repository of files", .enabled(if: SyncRefusal.isAvailable, "needs a filter for system calls"))
struct RepositorySyncTests {
    private static let bytes = Data([1])

    /// Runs `body` with an empty directory, where it may let the disk refuse syncs from some moment on.
    private static func refusing(_ body: @escaping @Sendable (Directory) throws -> Void) async throws {
        try await SyncRefusal.run {
            let scratch = try Scratch()
            defer { withExtendedLifetime(scratch) {} }
            try body(Directory(path: scratch.path))
        }
    }

    /// The reason of the error that `body` throws, and whether its outcome is unknown.
    private static func failure(_ body: () throws -> String?) throws -> (isUnknown: Bool, reason: String) {
        do { _ = try body() } catch CRUDRepositoryError.unknownOutcome(let reason) {
            return (true, reason)
        } catch CRUDRepositoryError.databaseError(let reason) {
            return (false, reason)
        }
        throw CrashFailure("a change was acknowledged that the disk has not synced")
    }

    @Test("an item whose file the disk refuses to sync is not stored") func file() async throws {
        try await Self.refusing { directory in
            try CrashFailure.require(try directory.write([("a", Self.bytes)]) { !$0 } == nil, "a is there")
            try SyncRefusal.begin()
            for exists in [false, true] {
                let failure = try Self.failure { try directory.write([(exists ? "a" : "b", Data())]) { $0 == exists } }
                #expect(!failure.isUnknown && failure.reason.contains("temp_"))
            }
            let records = (try directory.record("a"), try directory.record("b"))
            #expect(records == (Self.bytes, nil))
        }
    }

    @Test("a change whose directory the disk refuses to sync has an unknown outcome", arguments: [false, true])
    func directory(exists: Bool) async throws {
        try await Self.refusing { directory in
            try CrashFailure.require(
                try directory.write([(exists ? "a" : "b", Data())]) { !$0 } == nil, "a record is there")
            let failure = try Self.failure {
                try directory.write([("a", Self.bytes)]) { found in
                    // The file is staged and synced; its name is still to come.
                    do { try SyncRefusal.begin() } catch { Issue.record(error) }
                    return found == exists
                }
            }
            #expect(failure.isUnknown && failure.reason.contains("[\(directory.path)]"))
            let record = try directory.record("a")
            #expect(record == Self.bytes)
        }
    }

    @Test("a removal whose directory the disk refuses to sync has an unknown outcome") func removal() async throws {
        try await Self.refusing { directory in
            try CrashFailure.require(try directory.write([("a", Self.bytes)]) { !$0 } == nil, "a is there")
            try SyncRefusal.begin()
            let failure = try Self.failure { try directory.remove(["a"]) }
            #expect(failure.isUnknown && failure.reason.contains("[\(directory.path)]"))
        }
    }

    @Test("a directory that exists is used only after its parent was synced, once for each repository")
    func parent() async throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let (parent, path) = (scratch.path, scratch.path + "/records")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try await SyncRefusal.run {
            let directory = Directory(path: path)
            try SyncRefusal.begin()
            for _ in 0..<2 {
                let failure = try Self.failure { try directory.write([("a", Self.bytes)]) { !$0 } }
                #expect(!failure.isUnknown && failure.reason.contains("[\(parent)]"))
            }
        }
        // Not synced again by a repository that has done so.
        try await SyncRefusal.run {
            let directory = Directory(path: path)
            try CrashFailure.require(try directory.write([("a", Self.bytes)]) { !$0 } == nil, "a is stored")
            try SyncRefusal.begin()
            let failure = try Self.failure { try directory.write([("b", Self.bytes)]) { !$0 } }
            #expect(failure.reason.contains("temp_"))
        }
        try FileManager.default.removeItem(atPath: path)
    }
}
#endif
