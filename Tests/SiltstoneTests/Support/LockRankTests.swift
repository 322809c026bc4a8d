#if DEBUG
import Foundation
import Testing

@testable import Siltstone

/// The order of locks, which debug builds check: all other suites run with the check.
struct LockRankTests {
    @Test("a lock that is taken behind a higher one ends the process, and both are named")
    func order() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (write, manifest) = (ConditionLock(.write), ConditionLock(.manifest))
            write.withLock { manifest.withLock {} }
        }
        let message = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
        #expect(message.contains("a manifest lock is taken by a thread that holds a write lock"))
    }

    @Test("two locks of one rank are never held together")
    func sameRank() async {
        await #expect(processExitsWith: .failure) {
            let (one, other) = (Locked(0, rank: .leaf), Locked(0, rank: .leaf))
            one.withLock { _ in other.withLock { _ in } }
        }
    }

    @Test("the order that the store goes by is let pass, and so is each lock again once it was released")
    func allowed() {
        let ranks: [LockRank] = [.callers, .values, .manifest, .sync, .write, .leaf, .directory, .file]
        let locks = ranks.map { ConditionLock($0) }
        for first in locks.indices {
            for lock in locks[first...] { lock.lock() }
            for lock in locks[first...].reversed() { lock.unlock() }
        }
        // Not waited for, so in no order.
        locks[ranks.count - 1].withLock {
            #expect(locks[0].tryLock())
            locks[0].unlock()
        }
        locks[0].withLock {}
    }

    @Test("locks without a rank are not checked")
    func unranked() {
        let (one, other) = (ConditionLock(), ConditionLock(.write))
        one.withLock { other.withLock {} }
        other.withLock { one.withLock {} }
    }

    @Test("every lock of the engine has a rank")
    func all() throws {
        let engine = URL(filePath: #filePath).appending(path: "../../../../Sources/Siltstone").standardized
        let files = FileManager.default.enumerator(at: engine, includingPropertiesForKeys: nil)
        let made = /\b(?:Locked|ConditionLock)(?:<.*>)?\(/
        var count = 0
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift", file.lastPathComponent != "Locked.swift" else { continue }
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard line.contains(made), !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
                count += 1
                let hasRank = line.contains("rank: .") || line.contains("ConditionLock(.")
                #expect(hasRank && !line.contains(".unranked"), "\(file.lastPathComponent): \(line)")
            }
        }
        #expect(count > 30)
    }
}
#endif
