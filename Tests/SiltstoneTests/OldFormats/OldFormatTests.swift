import Foundation
import Testing

@testable import Siltstone

/// Stores of every format version that was ever released can be opened, for ever.
struct OldFormatTests {
    private func configuration(_ fileSystem: any FileSystem) -> Configuration {
        var configuration = SampleStores.configuration(.none)
        configuration.fileSystem = fileSystem
        return configuration
    }

    private func contents(_ store: KeyValueStore) throws -> [String: String] {
        var contents: [String: String] = [:]
        for entry in try store.allEntries() {
            let key = String(decoding: entry.key, as: UTF8.self)
            contents[key] = String(decoding: entry.value, as: UTF8.self)
            #expect(try store.get(entry.key) == entry.value)
        }
        return contents
    }

    @Test("a store of an old format is read where it lies, and not changed", arguments: FormatFixture.all)
    func read(fixture: FormatFixture) throws {
        let before = try fixture.files()
        for access in [FileAccess.mapped, .read] {
            var configuration = Configuration()
            (configuration.readOnly, configuration.access) = (true, access)
            let store = try KeyValueStore.open(at: fixture.path, configuration: configuration)
            #expect(try contents(store) == fixture.contents)
            #expect(try store.verify().problems == [])
            try store.close()
        }
        #expect(try fixture.files() == before)
    }

    @Test("a copy of it takes writes, is compacted, and is then one of this format", arguments: FormatFixture.all)
    func write(fixture: FormatFixture) throws {
        let configuration = configuration(try fixture.files().mount())
        var expected = fixture.contents
        var store = try KeyValueStore.open(at: StoreFiles.path, configuration: configuration)
        #expect(try contents(store) == expected)
        try store.put("new".utf8, "value".utf8)
        expected["new"] = "value"
        try store.compact()
        #expect(try contents(store) == expected)
        try store.close()
        store = try KeyValueStore.open(at: StoreFiles.path, configuration: configuration)
        #expect(try contents(store) == expected)
        #expect(try store.verify().problems == [])
        try store.close()
    }

    /// Kind, version and features of the files of a store, as their headers begin with.
    private func forms(_ files: StoreFiles) -> Set<[UInt8]> {
        let names = files.names.filter { StoreFile(name: $0)?.headerKind != nil }
        return Set(names.map { Array((files.bytes($0) ?? []).prefix(20)) })
    }

    @Test("there is a fixture of just the form that this release writes")
    func isCurrent() throws {
        let memory = StoreFixture(InMemoryFileSystem(greatestFileSize: 1 << 20))
        let store = try FormatFixture.fill(memory.path, configuration(memory.fileSystem), crashes: true)
        let written = forms(try StoreFiles(memory))
        withExtendedLifetime(store) {}
        let fixture = FormatFixture(form: FormatFixture.current, name: "crashed")
        #expect(forms(try fixture.files()) == written)
    }

    /// `SILTSTONE_MAKE_FIXTURE=1 swift test --filter OldFormatTests/make` writes the fixture of what this release
    /// writes (``FormatFixture/current``). To be done once for each version or feature, before it is released.
    @Test(
        "make the fixture",
        .enabled(if: ProcessInfo.processInfo.environment["SILTSTONE_MAKE_FIXTURE"] != nil, "made once for each version")
    )
    func make() throws {
        for crashes in [false, true] {
            let fixture = FormatFixture(form: FormatFixture.current, name: crashes ? "crashed" : "closed")
            let memory = StoreFixture(InMemoryFileSystem(greatestFileSize: 1 << 20))
            let store = try FormatFixture.fill(memory.path, configuration(memory.fileSystem), crashes: crashes)
            let files = SampleStores.trimmed(try StoreFiles(memory))
            withExtendedLifetime(store) {}
            try FileManager.default.createDirectory(atPath: fixture.path, withIntermediateDirectories: true)
            for name in files.names {
                try Data(files.bytes(name) ?? []).write(to: URL(fileURLWithPath: fixture.path + "/" + name))
            }
        }
    }
}
