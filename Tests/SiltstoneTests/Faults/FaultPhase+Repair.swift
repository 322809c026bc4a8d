import SiltstoneTesting
import Testing

@testable import Siltstone

extension FaultPhase {
    /// A store with a damaged segment, a torn log and a value that is gone.
    static let repair = FaultPhase(
        name: "repair",
        image: { configuration in
            let image = try settled(configuration)
            var files = image.files
            for suffix in [".segment", ".values", ".log"] {
                let name = try #require(files.keys.filter { $0.hasSuffix(suffix) }.min())
                // In the first block, the first value, the first frame.
                files[name]?[FileHeader.size + 40] ^= 0x10
            }
            let repaired = try StoreFixture(contents: files)
            let losses = try repair(repaired.fileSystem, configuration).losses.map(\.description)
            let model = try FaultImage.contents(try repaired.contents(), configuration)
            return FaultImage(files: files, model: model, losses: losses)
        }, opensFirst: false, dependsOnAccess: false, action: { run in tryRepair(run) },
        check: { run, image in try checkRepair(run, image) })

    static let repairOfTheWell = FaultPhase(
        name: "repair of what is well", image: { try settled($0) }, opensFirst: false,
        dependsOnAccess: false, action: { run in tryRepair(run) },
        check: { run, image in try checkUntouched(run, image) })

    private static func repair(
        _ fileSystem: any FileSystem, _ configuration: Configuration
    ) throws(StoreError) -> RepairReport {
        var configuration = configuration
        configuration.fileSystem = fileSystem
        return try KeyValueStore.repair(at: "/store", configuration: configuration)
    }

    private static func tryRepair(_ run: FaultRun) {
        let result = run.attempt { () throws(StoreError) in try repair(run.disk, run.configuration) }
        if case .success(let report) = result { run.reports.append(report) }
    }

    /// Whether or not the repair met a fault, after one that meets none the store holds what it would hold had there been
    /// no fault, the losses were told to somebody, and what was damaged is put aside.
    private static func checkRepair(_ run: FaultRun, _ image: FaultImage) throws {
        run.disk.setRule(.none)
        if !run.reports.isEmpty {
            #expect(run.reports.map { $0.losses.map(\.description) } == [image.losses], run.comment)
        }
        let again = try repair(run.base.fileSystem, run.configuration)
        try checkAside(run, image)
        // Where the first one failed at the very end, its losses are written down beside the damaged files.
        if again.wasClean { return }
        #expect(run.reports.isEmpty && again.losses.map(\.description) == image.losses, run.comment)
    }

    private static func checkAside(_ run: FaultRun, _ image: FaultImage) throws {
        var aside: [String: [UInt8]] = [:]
        for directory in try run.base.names() where directory.hasPrefix("damaged-") {
            for name in try run.base.fileSystem.entries(of: run.base.file(directory)) {
                aside[name] = try run.base.read(directory + "/" + name)
            }
        }
        let losses = String(decoding: aside["LOSSES"] ?? [], as: UTF8.self)
        #expect(losses == image.losses.map { $0 + "\n" }.joined(), run.comment)
        for suffix in [".segment", ".values"] {
            let name = try #require(image.files.keys.filter { $0.hasSuffix(suffix) }.min())
            let place = try run.base.names().contains(name) ? try run.base.read(name) : aside[name]
            #expect(place == image.files[name], "\(name) is gone; \(run.comment)")
        }
    }
}
