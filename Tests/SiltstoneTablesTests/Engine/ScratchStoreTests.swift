import Foundation
import Siltstone
import SiltstoneTesting
import Testing

@testable import SiltstoneTables

/// Stores for rows that exceed memory: in the temporary directory, which may be on a small disk.
struct ScratchStoreTests {
    private static func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    @Test("a scratch store leaves no file behind, even if the disk is too full to close it")
    func fullDisk() throws {
        let disk = FaultInjectingFileSystem(POSIXFileSystem())
        let path = try withExtendedLifetime(ScratchStore(disk)) { store throws in
            #expect(try store.insert([1]))
            #expect(Self.isThere(store.path))
            let growing: Set<FileSystemCall.Operation> = [.write, .reserve]
            disk.setRule { growing.contains($0.operation) && $0.path.hasSuffix(".manifest") ? .noSpace : nil }
            return store.path
        }
        #expect(!disk.faults.isEmpty, "closing did not fail")
        #expect(!Self.isThere(path))
    }

    @Test("a scratch store that cannot be made leaves no directory behind")
    func unmade() throws {
        let disk = FaultInjectingFileSystem(POSIXFileSystem())
        disk.setRule { $0.operation == .create && $0.path.hasSuffix(".log") ? .noSpace : nil }
        #expect(throws: StoreError.self) { try ScratchStore(disk) }
        let path = try #require(disk.log.first { $0.operation == .createDirectory }?.path)
        #expect(!Self.isThere(path))
    }
}
