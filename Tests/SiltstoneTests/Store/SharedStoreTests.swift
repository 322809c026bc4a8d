import Foundation
import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// One open store for each path.
struct SharedStoreTests {
    private func withDirectory(_ body: (String) throws -> Void) throws {
        let path = FileManager.default.temporaryDirectory.path + "/siltstone-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: path) } }
        try body(path)
    }

    @Test("all names of a directory are one store, before it exists and after, and for as long as one is left")
    func names() throws {
        try withDirectory { parent in
            try FileManager.default.createSymbolicLink(atPath: parent + "/link", withDestinationPath: parent)
            let first = try SharedStore.open(at: parent + "/link/app.silt")
            try FileManager.default.createSymbolicLink(atPath: parent + "/alias", withDestinationPath: "app.silt")
            let up = String(
                repeating: "../", count: FileManager.default.currentDirectoryPath.split(separator: "/").count)
            let names = [
                "/app.silt", "/./app.silt//", "/link/../" + (parent as NSString).lastPathComponent + "/app.silt",
                "/alias",
            ]
            var others = try names.map { try SharedStore.open(at: parent + $0) }
            others.append(try SharedStore.open(at: up + parent.dropFirst() + "/app.silt"))
            #expect(others.allSatisfy { $0.store === first.store })
            try first.close()
            try first.close()
            for other in others.dropLast() { try other.close() }
            try others.last?.store.put("key".utf8, "value".utf8)
            #expect(StoreError.Code.of { try KeyValueStore.open(at: parent + "/app.silt") } == .locked)
            try others.last?.close()
            // Closed in good order, and free.
            let store = try KeyValueStore.open(at: parent + "/app.silt")
            #expect(try store.get("key".utf8) == Array("value".utf8))
            #expect(StoreError.Code.of { try SharedStore.open(at: parent + "/app.silt") } == .locked)
            try store.close()
            #expect(StoreError.Code.of { try SharedStore.open(at: parent + "/missing/app.silt") } == .notFound)
        }
    }

    @Test("the last use that goes closes the store, and the next one opens it anew")
    func counted() throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        var first: SharedStore? = try SharedStore.open(at: "/store", configuration: configuration)
        let second = try SharedStore.open(at: "/store/", configuration: configuration)
        let store = second.store
        first = nil
        _ = first
        try store.put("key".utf8, "value".utf8)
        try second.close()
        #expect(StoreError.Code.of { try store.get("key".utf8) } == .closed)
        let third = try SharedStore.open(at: "/store", configuration: configuration)
        #expect(third.store !== store)
        #expect(try third.store.get("key".utf8) == Array("value".utf8))
        // Another file system is another place.
        configuration.fileSystem = InMemoryFileSystem()
        let elsewhere = try SharedStore.open(at: "/store", configuration: configuration)
        #expect(try elsewhere.store.get("key".utf8) == nil)
        try elsewhere.close()
        try third.close()
    }

    @Test("a configuration has to be that of the open store; the error names an option that is not")
    func configurations() throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        let first = try SharedStore.open(at: "/store", configuration: configuration)
        var other = configuration
        other.createIfMissing = false
        let second = try SharedStore.open(at: "/store", configuration: other)
        let changes: [(String, (inout Configuration) -> Void)] = [
            ("durability", { $0.durability = .synced }), ("readOnly", { $0.readOnly = true }),
            ("memTableBytes", { $0.memTableBytes *= 2 }), ("sealedMemTableLimit", { $0.sealedMemTableLimit += 1 }),
            ("segmentBytes", { $0.segmentBytes *= 2 }), ("blockBytes", { $0.blockBytes *= 2 }),
            ("largeValueBytes", { $0.largeValueBytes *= 2 }), ("valueFileBytes", { $0.valueFileBytes *= 2 }),
            ("cacheBytes", { $0.cacheBytes *= 2 }), ("changeFeedBytes", { $0.changeFeedBytes *= 2 }),
            ("compression", { $0.compression = .deflate(level: 1) }),
            ("access", { $0.access = .read }), ("logWriting", { $0.logWriting = .written }),
            ("automaticCompaction", { $0.automaticCompaction = false }),
            ("tidiesWhenIdle", { $0.tidiesWhenIdle = true }),
            ("transactionMemoryBytes", { $0.transactionMemoryBytes *= 2 }),
        ]
        for (name, change) in changes {
            var other = configuration
            change(&other)
            let error = #expect(throws: StoreError.self) { try SharedStore.open(at: "/store", configuration: other) }
            #expect(error?.code == .invalidArgument && error?.message.contains(name) == true)
        }
        // Every option is told apart, but the files, whether to make a store, and the way to ask for memory.
        #expect(changes.count == Mirror(reflecting: configuration).children.count - 3)
        try first.close()
        #expect(try second.store.get("key".utf8) == nil, "an attempt that failed is no use that ends")
        try second.close()
        #expect(StoreError.Code.of { try second.store.get("key".utf8) } == .closed)
    }

    @Test("a refused configuration beside the last close leaves the path to the next one", .timeLimit(.minutes(5)))
    func refusedBesideClose() throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        var other = configuration
        other.cacheBytes *= 2
        let group = DispatchGroup()
        for configuration in [configuration, other] {
            Thread.detachNewThread(in: group) {
                for _ in 0..<3_000 {
                    let code = StoreError.Code.of {
                        try SharedStore.open(at: "/store", configuration: configuration).close()
                    }
                    #expect(code == nil || code == .invalidArgument)
                }
            }
        }
        group.wait()
        let store = try SharedStore.open(at: "/store", configuration: configuration)
        try store.close()
    }

    @Test("no configuration in particular takes a store as it is open")
    func anyConfiguration() throws {
        try withDirectory { parent in
            var configuration = StoreFixture.small()
            configuration.durability = .buffered
            let first = try SharedStore.open(at: parent + "/store", configuration: configuration)
            let second = try SharedStore.open(at: parent + "/store")
            #expect(second.store === first.store)
            try first.close()
            try second.close()
        }
    }

    @Test("a store that was closed under its users is opened anew, and they close nothing of that")
    func closedByAnother() throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        let first = try SharedStore.open(at: "/store", configuration: configuration)
        try first.store.close()
        let second = try SharedStore.open(at: "/store", configuration: configuration)
        #expect(second.store !== first.store)
        try first.close()
        #expect(try second.store.get("key".utf8) == nil)
        try second.close()
    }

    @Test("an opening that fails leaves the path to the next one")
    func failedOpening() throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        configuration.createIfMissing = false
        #expect(StoreError.Code.of { try SharedStore.open(at: "/store", configuration: configuration) } == .notFound)
        configuration.createIfMissing = true
        try SharedStore.open(at: "/store", configuration: configuration).close()
    }

    @Test("threads and tasks that open and close one path at once share it, and none finds it locked")
    func concurrent() async throws {
        var configuration = StoreFixture.small()
        configuration.fileSystem = InMemoryFileSystem()
        let shared = configuration
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for round in 0..<40 {
                        let use = try await SharedStore.open(at: "/store", configuration: shared)
                        try await use.store.put(key(task), Array("\(round)".utf8))
                        #expect(try await use.store.get(key(task)) == Array("\(round)".utf8))
                        try await use.close()
                    }
                }
            }
            try await group.waitForAll()
        }
        let use = try await SharedStore.open(at: "/store", configuration: shared)
        for task in 0..<8 { #expect(try await use.store.get(key(task)) == Array("39".utf8)) }
        try await use.close()
    }

    @Test(
        "a store that a user is closing directly is opened anew after that, and not found locked",
        .timeLimit(.minutes(5)))
    func openedBesideDirectClose() throws {
        let entered = DispatchSemaphore(value: 0)
        let goOn = DispatchSemaphore(value: 0)
        let disk = FaultInjectingFileSystem()
        var configuration = StoreFixture.small()
        configuration.fileSystem = disk
        let shared = configuration
        let first = try SharedStore.open(at: "/store", configuration: shared)
        try first.store.put("key".utf8, "value".utf8)
        let isFirst = Atomic(true)
        // The close stops in the middle, at its first sync.
        disk.setRule { call in
            if call.operation == .sync, isFirst.exchange(false, ordering: .relaxed) {
                entered.signal()
                goOn.wait()
            }
            return nil
        }
        let group = DispatchGroup()
        Thread.detachNewThread(in: group) { #expect(throws: Never.self) { try first.store.close() } }
        entered.wait()
        let isOpening = DispatchSemaphore(value: 0)
        Thread.detachNewThread(in: group) {
            isOpening.signal()
            #expect(throws: Never.self) {
                let second = try SharedStore.open(at: "/store", configuration: shared)
                #expect(second.store !== first.store)
                #expect(try second.store.get("key".utf8) == Array("value".utf8))
                try second.close()
            }
        }
        isOpening.wait()
        goOn.signal()
        group.wait()
        try first.close()
    }
}
