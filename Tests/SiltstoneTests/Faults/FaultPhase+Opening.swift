import SiltstoneTesting
import Testing

@testable import Siltstone

extension FaultPhase {
    static let creation = FaultPhase(
        name: "a new store", image: { _ in .nothing }, opensFirst: false,
        action: { run in
            run.open()
            run.put(1, 100)
            run.close()
        })

    /// Several logs, values, the last log torn.
    static let recovery = FaultPhase(
        name: "recovery",
        image: { configuration in
            let disk = FaultInjectingFileSystem(keepsLog: false)
            let fixture = StoreFixture(disk)
            var configuration = configuration
            configuration.durability = .buffered
            let store = try fixture.open(configuration)
            for number in 0..<10 { try store.put(key(number), FaultRun.value(number, 100)) }
            try store.put(key(10), FaultRun.value(10, 5000))
            try store.flush()
            // Without segments the logs pile up.
            disk.setRule { $0.path.hasSuffix(".segment") && $0.operation == .create ? .noSpace : nil }
            for number in 5..<62 { try store.put(key(number), FaultRun.value(number, 1900)) }
            try store.put(key(11), FaultRun.value(11, 6000))
            store.settle()
            disk.setRule(.none)
            var files = try fixture.contents()
            let logs = files.keys.filter { $0.hasSuffix(".log") }.sorted()
            // The last log that was written to loses a part of its last frame.
            let last = try #require(logs.last { files[$0, default: []].lastIndex { $0 != 0 } ?? 0 > 200 })
            let used = try #require(files[last]?.lastIndex { $0 != 0 })
            files[last]?.removeSubrange((used - 10)...)
            return FaultImage(files: files, model: try FaultImage.contents(files, configuration))
        }, opensFirst: false,
        action: { run in
            run.open()
            run.put(500, 100)
            run.close()
        })

    static let opening = FaultPhase(
        name: "opening", image: { try settled($0) }, opensFirst: false,
        action: { run in
            run.open()
            run.close()
        })

    static let readOnlyOpening = FaultPhase(
        name: "opening for reading", configure: { $0.readOnly = true },
        image: { configuration in
            var configuration = configuration
            configuration.readOnly = false
            return try settled(configuration)
        }, opensFirst: false, dependsOnAccess: false,
        action: { run in
            run.open()
            if let store = run.store { run.attempt { () throws(StoreError) in _ = try store.get(key(3)) } }
        },
        check: { run, image in try checkUntouched(run, image) })

    /// Checks that the files are what they were.
    static func checkUntouched(_ run: FaultRun, _ image: FaultImage) throws {
        #expect(try run.base.contents() == image.files, run.comment)
    }

    /// A store that was closed: segments in two levels, values, and a log that holds some changes.
    static func settled(_ configuration: Configuration) throws -> FaultImage {
        try FaultImage.closed(configuration) { store in
            for number in 0..<30 { try store.put(key(number), FaultRun.value(number, 200), durability: .buffered) }
            try store.put(key(70), FaultRun.value(70, 4000))
            try store.compact()
            for number in 20..<50 { try store.put(key(number), FaultRun.value(number, 220), durability: .buffered) }
            try store.delete(key(1))
            try store.put(key(71), FaultRun.value(71, 3000))
            try store.flush()
            for number in 40..<60 { try store.put(key(number), FaultRun.value(number, 240), durability: .buffered) }
            try store.deleteRange(from: key(5), to: key(8))
            try store.put(key(72), FaultRun.value(72, 2500))
        }
    }
}
