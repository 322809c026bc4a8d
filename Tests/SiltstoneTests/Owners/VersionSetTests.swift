import SiltstoneTesting
import Synchronization
import Testing

@testable import Siltstone

/// The version set alone: edits, new files, failures, closing.
struct VersionSetTests {
    @Test("an edit is in the manifest, and in force, before anything else changes with it", .comesToAnEnd)
    func edit() throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        var events: [String] = []
        versions.install.value = { wakes, change in
            events.append("install, wakes \(wakes)")
            change()
        }
        let log = try versions.createLog()
        #expect(events == ["install, wakes true"])
        try versions.withManifest { #expect($0?.state.logs.contains(log.number) == true) }
        var edit = VersionEdit()
        edit.removedLogs = [log.number]
        try versions.logAndApply(edit, wakes: false) { events.append("body") }
        #expect(events == ["install, wakes true", "install, wakes false", "body"])
        try versions.withManifest { #expect($0?.state.logs.contains(log.number) == false) }
        #expect(try fixture.names().contains(StoreFile.log(log.number).name), "the caller removes it")
    }

    @Test("numbers are given out once, whoever asks", .comesToAnEnd)
    func numbers() throws {
        let versions = try OwnerFixture().makeVersions()
        let first = try versions.takeFileNumber()
        let log = try versions.createLog().number
        let second = try versions.takeFileNumber()
        #expect(first < log && log < second)
    }

    @Test(
        "a full disk changes nothing, and leaves no file; any other failure of an edit ends all writing", .comesToAnEnd)
    func failures() throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        let before = try fixture.names()
        for failure in [FaultKindOfEdit.full, .broken] {
            fixture.disk.setRule { call in
                call.operation == .write && call.path.hasSuffix(".manifest") ? failure.error : nil
            }
            #expect(StoreError.Code.of { _ = try versions.createLog() } == failure.code)
            #expect(fixture.status.hasFailed == (failure == .broken))
            fixture.disk.setRule(.none)
            if failure == .full { #expect(try fixture.names() == before) }
        }
        // It may be named: nobody knows whether the edit has reached the disk.
        #expect(try fixture.names().count == before.count + 1)
        #expect(StoreError.Code.of { _ = try versions.createLog() } == .inputOutput, "the failure itself")
    }

    private enum FaultKindOfEdit {
        case full, broken

        var error: Fault { self == .full ? .noSpace : .inputOutput }
        var code: StoreError.Code { self == .full ? .noSpace : .inputOutput }
    }

    @Test("value files go once neither segments nor others use them, and no sooner", .comesToAnEnd)
    func valueFiles() throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        var appender: ValueFileAppender?
        let made = try versions.createValueFile { appender = $0 }
        #expect(appender === made)
        #expect(versions.current.valueFiles.keys.contains(made.number))
        try versions.dropValueFiles(isOrdered: true) { [made.number] }
        #expect(versions.current.valueFiles.count == 1)
        try versions.dropValueFiles(isOrdered: true) { [] }
        #expect(versions.current.valueFiles.isEmpty)
        #expect(try !fixture.names().contains(StoreFile.values(made.number).name))
    }

    @Test("files that are held stay until the last hold ends", .comesToAnEnd)
    func holds() throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        let log = try versions.createLog()
        var isThere = Result<Bool, any Error>.success(false)
        try versions.obsolete.holding { () throws(StoreError) in
            versions.discard([.log(log.number)])
            isThere = Result { try fixture.names().contains(StoreFile.log(log.number).name) }
        }
        #expect(try isThere.get())
        #expect(try !fixture.names().contains(StoreFile.log(log.number).name))
    }

    @Test(
        "groups of files go one after the other, behind a hold, and behind a file that cannot be removed yet",
        .comesToAnEnd)
    func groups() throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        let logs = try (0..<3).map { _ in try versions.createLog().number }
        let paths = logs.map { OwnerFixture.path + "/" + StoreFile.log($0).name }
        let stuck = paths[1]
        fixture.disk.setRule(.from(0, where: { $0.operation == .remove && $0.path == stuck }) { _ in .inputOutput })
        let before = fixture.disk.log.count
        try versions.obsolete.holding { () throws(StoreError) in
            try versions.obsolete.remove(inOrder: logs.map { [.log($0)] })
        }
        #expect(try !fixture.names().contains(StoreFile.log(logs[0]).name))
        for log in logs.dropFirst() { #expect(try fixture.names().contains(StoreFile.log(log).name)) }
        try versions.obsolete.remove(inOrder: [])
        for log in logs { #expect(try !fixture.names().contains(StoreFile.log(log).name)) }
        let calls = fixture.disk.log.dropFirst(before).filter { [.remove, .syncDirectory].contains($0.operation) }
        let directory = OwnerFixture.path
        #expect(calls.map(\.path) == [paths[0], directory, paths[1], paths[1], directory, paths[2]])
    }

    @Test("a store that is open for reading only has versions, and takes no edit", .comesToAnEnd)
    func readOnly() throws {
        let fixture = try OwnerFixture()
        let versions = VersionSet(fixture.recovered.version, nil, fixture.directory, fixture.status)
        #expect(StoreError.Code.of { _ = try versions.createLog() } == .readOnly)
        #expect(StoreError.Code.of { try versions.logAndApply(VersionEdit()) } == .readOnly)
        let number = try versions.takeFileNumber()
        #expect(versions.current.runs.isEmpty && number == 0)
    }

    @Test(
        "closing records the end of the log, but after a failure it closes and writes nothing", .comesToAnEnd,
        arguments: [false, true])
    func closing(_ fails: Bool) throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        let log = try versions.createLog()
        let closing = VersionEdit.Closing(log: log.number, end: UInt64(log.end), lastSequence: 0)
        if fails {
            fixture.disk.setRule { $0.operation == .syncDirectory ? .inputOutput : nil }
            #expect(StoreError.Code.of { _ = try versions.createLog() } == .inputOutput)
            fixture.disk.setRule(.none)
        }
        let calls = fixture.disk.callCount
        var hasClosedFiles = false
        try versions.close { () throws(StoreError) in
            hasClosedFiles = true
            return VersionEdit(closing: closing)
        }
        #expect(hasClosedFiles == !fails)
        try versions.withManifest { #expect($0?.state.closing == (fails ? nil : closing)) }
        #expect((fixture.disk.callCount == calls) == fails)
    }

    @Test("a closed store makes no value file: its directory may be another's", .comesToAnEnd)
    func closed() throws {
        let fixture = try OwnerFixture()
        let versions = fixture.makeVersions()
        let before = try fixture.names()
        fixture.status.close()
        #expect(StoreError.Code.of { _ = try versions.createValueFile { _ in } } == .closed)
        #expect(try fixture.names() == before)
    }
}
