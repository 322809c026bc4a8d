import SiltstoneTesting
import Testing

@testable import Siltstone

/// A manifest that has grown long is begun anew: the one step of the engine that replaces a file by renaming while the
/// store is open, and too seldom for the other sweeps to meet it.
struct ManifestRenewalFaultTests {
    /// A store whose next edit of the manifest is the one that begins it anew.
    private static func image(_ configuration: Configuration) throws -> FaultImage {
        let image = try FaultPhase.settled(configuration)
        let fixture = try StoreFixture(contents: image.files)
        let store = try fixture.open(configuration)
        try store.engine.versions.withManifest { manifest throws(StoreError) in
            guard let manifest else { return }
            while manifest.number == 1, manifest.edits < Manifest.editLimit - 1 { try manifest.append(VersionEdit()) }
        }
        try store.close()  // with one edit more
        return FaultImage(files: try fixture.contents(), model: image.model)
    }

    @Test("whichever call of it fails, one of the two manifests is in force and the store goes on or says why not")
    func sweep() throws {
        let configuration = FaultAccess.mapped.configuration
        let image = try Self.image(configuration)
        let phase = FaultPhase(
            name: "a new manifest", image: { _ in image },
            action: { run in
                guard let store = run.store else { return }
                run.attempt { () throws(StoreError) in try store.flush() }
                run.put(100, 100)
                run.attempt { () throws(StoreError) in try store.flush() }
            })
        var sweep = try FaultSweep(phase, .mapped)
        for var kind in FaultKind.allKinds {
            // Behind the renaming nobody knows which of the two a crash would leave in force: no write may be taken.
            if kind.heals, !kind.codes.isEmpty { kind.operations.subtract([.rename, .syncDirectory]) }
            try sweep.run(kind)
        }
        #expect(sweep.tally.faults > 100 || FaultSweep.only != nil)
        SuiteScale.report("a new manifest", ["call faults": sweep.tally.faults, "runs": sweep.tally.runs])
    }
}
