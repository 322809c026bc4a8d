import Foundation
import Testing

@testable import Siltstone

struct ForeignFilesTests {
    private func write(_ text: String, to path: String, _ fileSystem: any FileSystem) throws {
        let file = try fileSystem.open(path, .createNew)
        try file.writeFully(Array(text.utf8), at: 0)
    }

    @Test("a directory with a file that is only called like a store's is no place for a store, and keeps the file")
    func foreignDirectory() throws {
        let fileSystem = InMemoryFileSystem()
        try fileSystem.createDirectory("/mine")
        try write("a diary", to: "/mine/20240101.log", fileSystem)
        var configuration = Configuration()
        configuration.fileSystem = fileSystem
        #expect(throws: StoreError.self) { _ = try KeyValueStore.open(at: "/mine", configuration: configuration) }
        #expect(throws: StoreError.self) {
            _ = try KeyValueStore.repair(at: "/mine", configuration: configuration)
        }
        #expect(try fileSystem.entries(of: "/mine") == ["20240101.log"])
    }

    @Test("files in a store's directory that are only called like its own are left alone")
    func foreignFiles() throws {
        let fileSystem = InMemoryFileSystem()
        var configuration = Configuration()
        configuration.fileSystem = fileSystem
        try KeyValueStore.open(at: "/store", configuration: configuration).close()
        let names = ["20240102.segment", "000777.values", "12345678.manifest"]
        for name in names { try write("not of the store's making", to: "/store/" + name, fileSystem) }
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        try store.put("key".utf8, "value".utf8)
        try store.close()
        #expect(Set(names).isSubset(of: try fileSystem.entries(of: "/store")))
    }

    @Test(
        "a log of another store is left alone; one of the store itself, with changes that no manifest names, is damage",
        arguments: [false, true])
    func logOfAnotherStore(_ isOwn: Bool) throws {
        let fixture = StoreFixture()
        let store = try fixture.open()
        try store.put(key(1), [1])
        try store.close()
        let number: UInt64 = 777
        let name = StoreFile.log(number).name
        let identity = isOwn ? store.engine.versions.directory.identity : StoreIdentity.random()
        let log = try LogWriter.create(
            fixture.fileSystem, path: fixture.file(name),
            header: FileHeader(kind: .log, store: identity, number: number))
        try log.append(link: LogLink())
        try log.put("foreign", [2], 1)
        try log.close()
        let before = try fixture.contents()
        if isOwn {
            #expect(StoreError.Code.of { try fixture.open() } == .corrupt)
            #expect(try fixture.contents() == before)
            return
        }
        for _ in 0..<2 {
            let again = try fixture.open()
            #expect(try again.allEntries() == [Entry(key: key(1), value: [1])])
            try again.close()
        }
        #expect(try fixture.read(name) == before[name])
    }

    @Test("a FIFO under the name of a store's file is refused, and nobody waits for its other end")
    func fifos() throws {
        let fixture = try StoreFixture(onDisk: ())
        let store = try fixture.open()
        for number in 0..<100 { try store.put(key(number), [1]) }
        try store.close()
        // Nothing refers to these: one is left alone, the other is in the way of a new CURRENT.
        for name in ["CURRENT.new", "000900.segment"] { #expect(mkfifo(fixture.file(name), 0o644) == 0) }
        let again = try fixture.open()
        #expect(try again.allEntries().count == 100)
        #expect(try again.verify().problems == [])
        try again.flush()
        try again.close()
        #expect(try fixture.names().contains("000900.segment"))

        for name in ["CURRENT", "LOCK"] + (try fixture.names(ending: ".manifest")) {
            try fixture.fileSystem.rename(fixture.file(name), to: fixture.path + "-kept")
            #expect(mkfifo(fixture.file(name), 0o644) == 0)
            var configuration = StoreFixture.small()
            for readOnly in [false, true] {
                configuration.readOnly = readOnly
                let error = #expect(throws: StoreError.self) { try fixture.open(configuration) }
                #expect(error?.code == .inputOutput && error?.file == fixture.file(name), "\(name)")
                #expect(error?.message.contains("no regular file") == true, "\(name)")
            }
            try fixture.fileSystem.remove(fixture.file(name))
            try fixture.fileSystem.rename(fixture.path + "-kept", to: fixture.file(name))
        }
        let last = try fixture.open()
        #expect(try last.allEntries().count == 100)
        try last.close()
    }

    @Test("a store that is open for reading only counts and verifies its logs")
    func readOnlyLogs() throws {
        let fileSystem = InMemoryFileSystem()
        var configuration = Configuration()
        configuration.fileSystem = fileSystem
        do {
            let store = try KeyValueStore.open(at: "/store", configuration: configuration)
            for number in 0..<100 { try store.put([UInt8(number)], "value".utf8, durability: .buffered) }
            try store.close()
        }
        configuration.readOnly = true
        let store = try KeyValueStore.open(at: "/store", configuration: configuration)
        #expect(store.statistics.logs == 1 && store.statistics.logBytes > 100)
        #expect(try store.verify().recordsChecked == 100)
        try store.close()
    }

    @Test("a store that was dropped can be opened again at once")
    func droppedStore() throws {
        let fileSystem = InMemoryFileSystem()
        var configuration = Configuration()
        configuration.fileSystem = fileSystem
        for number in 0..<200 {
            let store = try KeyValueStore.open(at: "/store", configuration: configuration)
            try store.put([UInt8(number)], "value".utf8, durability: .buffered)
        }
    }

    @Test("a file of another store is left alone, also if its header ends with a zero as a torn one does")
    func intactHeader() throws {
        let fixture = StoreFixture()
        try fixture.open().close()
        var header: [UInt8]
        repeat { header = FileHeader(kind: .segment, store: .random(), number: 900).encoded() } while header[63] != 0
        try fixture.write(header + [UInt8](repeating: 1, count: 1000), to: "000900.segment")
        // The start of a header of the store itself, whose rest never reached the disk.
        try fixture.write(Array(header[..<8]) + [UInt8](repeating: 0, count: 100), to: "000901.segment")
        try fixture.open().close()
        let names = try fixture.names()
        #expect(names.contains("000900.segment"))
        #expect(!names.contains("000901.segment"))
    }
}
