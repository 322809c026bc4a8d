import SiltstoneTesting
import Testing

@testable import Siltstone

extension FaultRun {
    /// Checks all that a store owes after faults, once they are over.
    /// - Parameter afterDeath: whether the process "dies" now, or the store is closed in good order.
    func check(afterDeath: Bool) throws {
        settle()
        let background = store?.statistics.backgroundError ?? background
        disk.setRule(.none)
        checkErrors(background)
        if let store { try checkOpen(store) }
        settle()
        let next: StoreFixture
        if afterDeath {
            next = try base.isEmpty ? base : try base.copy()
            dropStore()
        } else {
            if let store { try store.close() }
            store = nil
            next = base
        }
        try checkNothingHeld()
        try checkReopened(next)
    }

    private func dropStore() { store = nil }

    /// Every error is of the kind that was met, and names a file; and an error that lasted was told to somebody.
    private func checkErrors(_ background: String?) {
        for error in errors {
            #expect(kind.codes.contains(error.code), comment)
            #expect(error.file != nil, comment)
        }
        let met = disk.faults.filter { !missingCloseNotes.contains($0.call.number) }
        guard !kind.codes.isEmpty, faultsLast, met.contains(where: { !mayFailUnnoticed($0.call, $0.fault) }) else {
            return
        }
        #expect(!errors.isEmpty || background != nil, "nobody was told; \(comment)")
    }

    /// Calls that have another way where they fail, or whose work a later compaction or the next opening does.
    private func mayFailUnnoticed(_ call: FileSystemCall, _ fault: Fault) -> Bool {
        switch call.operation {
        case .remove, .removeDirectory: true
        // Refused between two removals of a compaction, which has succeeded then: its other inputs are kept.
        case .syncDirectory:
            (fault.errorNumber.map { Platform.isRefusal($0) } ?? false)
                && !(store?.engine.versions.obsolete.kept.isEmpty ?? true)
        case .map: !call.path.hasSuffix(".segment")  // read or written instead
        case .write: call.length == FrameHeader.size  // a close frame, which a full disk may lack
        case .size: call.path.hasSuffix(".values")  // statistics, and the choice of what to compact
        default: false
        }
    }

    /// What a store that is open must still do.
    private func checkOpen(_ store: KeyValueStore) throws {
        #expect(ledger.admits(try store.allEntries()), "in the open store; \(comment)")
        if configuration.readOnly { return }
        let logs = store.engine.writes.lock.withLock {
            (store.engine.writes.state.sealed + [store.engine.writes.state.active]).compactMap { $0.log?.path }
        }
        let isSyncLost = disk.faults.dropFirst(faultsBefore).contains { call, fault in
            if fault == .interrupted { return false }
            // A refusal comes before the sync of a directory.
            let isRefused = fault.errorNumber.map { Platform.isRefusal($0) } ?? false
            return call.operation == .sync && logs.contains(call.path)
                || call.operation == .syncDirectory && call.path == base.path && !isRefused
        }
        let refusal = StoreError.Code.of { try store.put("healed".utf8, "value".utf8) }
        if refusal == nil {
            #expect(!isSyncLost, "writes go on after a failed sync; \(comment)")
            ledger.acknowledged { $0[Array("healed".utf8)] = Array("value".utf8) }
            try store.put(Array("large".utf8), Self.value(1, 3000))
            ledger.acknowledged { $0[Array("large".utf8)] = Self.value(1, 3000) }
            try store.flush()
            settle()
            #expect(store.engine.writes.lock.withLock { store.engine.writes.state.sealed.isEmpty }, comment)
        } else {
            #expect(refusal == .refusesWrites && !kind.heals, "writes do not go on: \(refusal as Any); \(comment)")
            #expect(!errors.isEmpty || store.statistics.backgroundError != nil, comment)
        }
    }

    /// The store opens, holds what it may, is well, takes writes, and has no file that nobody needs.
    private func checkReopened(_ fixture: StoreFixture) throws {
        var configuration = configuration
        configuration.readOnly = false
        let again = try fixture.openWhenFree(configuration)
        let entries = try again.allEntries()
        #expect(ledger.admits(entries), "opened again; \(comment)")
        #expect(try again.verify().problems.isEmpty, comment)
        try again.put("new".utf8, "value".utf8)
        again.settle()
        try again.close()
        let manifest = try #require(again.engine.versions.withManifest { $0 })
        let live = manifest.state.liveFiles.union([.current, .lock, .manifest(manifest.number)])
        let names = try fixture.names().filter { !$0.hasPrefix("damaged-") }
        #expect(Set(names) == Set(live.map(\.name)), "files left behind; \(comment)")
    }

    private func checkNothingHeld() throws {
        try waitUntil("files to be let go: \(disk.held); \(comment)") { disk.held.isEmpty }
    }
}

extension StoreFixture {
    /// Whether not even the directory is there.
    fileprivate var isEmpty: Bool { get throws { try fileSystem.attributes(of: path) == nil } }
}
