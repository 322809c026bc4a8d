import Testing

@testable import Siltstone

/// What a release does with files of a later one: it refuses what it could read wrong, and reads the rest.
struct FutureFormatTests {
    /// Replaces the header's number at an offset, and seals the header anew.
    private func changed(_ bytes: [UInt8], at offset: Int, to value: UInt32) -> [UInt8] {
        var bytes = bytes
        store(value, in: &bytes, at: offset)
        store(checksum(bytes[..<60]), in: &bytes, at: 60)
        return bytes
    }

    private func store(_ value: UInt32, in bytes: inout [UInt8], at offset: Int) {
        withUnsafeBytes(of: value.littleEndian) { bytes.replaceSubrange(offset..<offset + 4, with: $0) }
    }

    private func load(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes.withBytes { $0.integer(at: offset) ?? 0 }
    }

    private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 { Array(bytes).withBytes { CRC32.checksum($0) } }

    /// Binds the frames of a log or a manifest to a changed header.
    private func sealed(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        var (offset, previous) = (FileHeader.size, load(bytes, 60))
        let header = bytes[60..<64]
        while offset + FrameHeader.size <= bytes.count, load(bytes, offset) != 0 {
            let end = offset + FrameHeader.frameSize(payload: Int(load(bytes, offset + 4)))
            store(previous, in: &bytes, at: offset + 20)
            var place: [UInt8] = []
            place.append(integer: UInt64(offset))
            previous = checksum(header + place[...] + bytes[offset + 4..<end])
            store(previous, in: &bytes, at: offset)
            offset = end
        }
        return bytes
    }

    private func code(_ files: StoreFiles) throws -> StoreError.Code? {
        var configuration = SampleStores.configuration(.none)
        configuration.fileSystem = try files.mount()
        return StoreError.Code.of {
            let store = try KeyValueStore.open(at: StoreFiles.path, configuration: configuration)
            #expect(try store.verify().problems == [])
            try store.close()
        }
    }

    @Test(
        "a version or an incompatible feature that is not known refuses each kind of file, and repair does too",
        arguments: [(8, UInt32(2)), (12, 1 << 7), (12, 1 << 31)])
    func refused(offset: Int, value: UInt32) throws {
        let files = try FormatFixture.all[0].files()
        for name in files.names where name != "CURRENT" {
            var damaged = files
            damaged.entries[name] = .file(changed(files.bytes(name) ?? [], at: offset, to: value))
            #expect(try code(damaged) == .unsupportedFormat, "\(name)")
            var configuration = Configuration()
            configuration.fileSystem = try damaged.mount()
            let repair = StoreError.Code.of {
                try KeyValueStore.repair(at: StoreFiles.path, configuration: configuration)
            }
            #expect(repair == .unsupportedFormat, "\(name)")
        }
    }

    @Test("a compatible feature that is not known is accepted")
    func accepted() throws {
        let files = try FormatFixture.all[0].files()
        for name in files.names where name != "CURRENT" {
            let bytes = changed(files.bytes(name) ?? [], at: 16, to: 1 << 9)
            var changed = files
            switch StoreFile(name: name) {
            case .log, .manifest: changed.entries[name] = .file(sealed(bytes))
            case .values: changed.entries[name] = .file(bytes)
            default:
                // Its footer is in the manifest: so it is read on its own.
                try readSegment(name, bytes, files)
                continue
            }
            #expect(try code(changed) == nil, "\(name)")
        }
    }

    private func readSegment(_ name: String, _ bytes: [UInt8], _ files: StoreFiles) throws {
        var (bytes, files) = (bytes, files)
        let footer = bytes.count - SegmentFooter.size
        store(checksum(bytes[60..<64] + bytes[footer..<bytes.count - 4]), in: &bytes, at: bytes.count - 4)
        files.entries[name] = .file(bytes)
        let number = try #require(StoreFile(name: name)?.number)
        let reader = try SegmentReader(
            fileSystem: try files.mount(), path: StoreFiles.path + "/" + name, number: number, store: nil)
        #expect(try reader.verify().isEmpty, "\(name)")
    }
}
