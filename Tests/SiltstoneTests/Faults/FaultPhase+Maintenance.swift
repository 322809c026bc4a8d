import SiltstoneTesting
import Testing

@testable import Siltstone

extension FaultPhase {
    /// Several runs, removals, and a value file that is mostly garbage.
    static let compaction = FaultPhase(
        name: "compaction",
        image: { configuration in
            try FaultImage.closed(configuration) { store in
                for round in 0..<3 {
                    for number in 0..<60 {
                        try store.put(key(number), FaultRun.value(number, 150 + round), durability: .buffered)
                    }
                    for number in 60..<70 {
                        try store.put(key(number), FaultRun.value(number, 2500 + round), durability: .buffered)
                    }
                    try store.deleteRange(from: key(10 + round), to: key(20 + round))
                    try store.flush()
                }
            }
        },
        action: { run in
            guard let store = run.store else { return }
            run.attempt { () throws(StoreError) in try store.compact() }
            run.put(100, 100)
        })

    static let checkpoint = FaultPhase(
        name: "checkpoint", image: { try settled($0) },
        action: { run in
            guard let store = run.store else { return }
            run.attempt { () throws(StoreError) in try store.checkpoint(to: "/checkpoint") }
        }, check: { run, image in try checkCheckpoint(run, image) })

    /// One that is reported as made is whole; what a failed one has left is no store, or holds the same.
    private static func checkCheckpoint(_ run: FaultRun, _ image: FaultImage) throws {
        let path = "/checkpoint"
        var configuration = run.configuration
        configuration.createIfMissing = false
        configuration.fileSystem = run.base.fileSystem
        let isThere = try run.base.fileSystem.attributes(of: path) != nil
        if run.errors.isEmpty {
            let copy = try KeyValueStore.open(at: path, configuration: configuration)
            #expect(try copy.allEntries() == image.model.scan(), run.comment)
            #expect(try copy.verify().problems.isEmpty, run.comment)
            try copy.close()
        } else if isThere {
            // What failed once can be undone; unless the undoing met the fault, or the directory was not known to be made.
            let excuses: Set<FileSystemCall.Operation> = [.createDirectory, .remove, .removeDirectory, .readDirectory]
            #expect(run.disk.faults.contains { excuses.contains($0.call.operation) }, "left behind; \(run.comment)")
            do {
                let copy = try KeyValueStore.open(at: path, configuration: configuration)
                #expect(try copy.allEntries() == image.model.scan(), run.comment)
                try copy.close()
            } catch {
                let refusals: [StoreError.Code] = [.notFound, .notAStore, .corrupt]
                #expect(refusals.contains((error as? StoreError)?.code ?? .closed), "\(error); \(run.comment)")
            }
        }
        run.disk.setRule(.none)
        if let store = run.store, StoreError.Code.of({ try store.sync() }) == nil {
            try store.checkpoint(to: "/another checkpoint")
        }
    }

    static let verification = FaultPhase(
        name: "verification",
        image: { configuration in
            var image = try settled(configuration)
            let store = try StoreFixture(contents: image.files).open(configuration)
            image.recordCount = try store.verify().recordsChecked
            try store.close()
            return image
        },
        action: { run in
            guard let store = run.store else { return }
            let result = run.attempt { () throws(StoreError) in try store.verify() }
            // That something could not be read is an error, and no damage.
            if case .success(let report) = result {
                #expect(report.problems.isEmpty, run.comment)
                #expect(report.recordsChecked == run.image.recordCount, run.comment)
            }
        })

    static let reading = FaultPhase(
        name: "reading", configure: { $0.cacheBytes = 0 }, image: { try settled($0) },
        action: { run in
            guard let store = run.store, let model = run.ledger.states.first else { return }
            for number in [0, 3, 6, 25, 70, 71, 72, 999] {
                let found = run.attempt { () throws(StoreError) in try store.get(key(number)) }
                if case .success(let value) = found { #expect(value == model[key(number)], run.comment) }
                let isThere = run.attempt { () throws(StoreError) in try store.contains(key(number)) }
                if case .success(let isThere) = isThere { #expect(isThere == (model[key(number)] != nil), run.comment) }
            }
            for reverse in [false, true] {
                let found = run.attempt { () throws(StoreError) -> [Entry] in
                    let cursor = try store.scan(reverse: reverse)
                    var entries: [Entry] = []
                    while let entry = try cursor.next() { entries.append(entry) }
                    return entries
                }
                if case .success(let entries) = found { #expect(entries == model.scan(reverse: reverse), run.comment) }
            }
            let snapshot = store.snapshot()
            let keys = [0, 30, 71, 60].map { key($0) }
            let found = run.attempt { () throws(StoreError) in try snapshot.get(all: keys) }
            if case .success(let values) = found { #expect(values == keys.map { model[$0] }, run.comment) }
        },
        check: { run, _ in
            // A failed read is an error of that read: the store goes on, and refuses nothing.
            run.disk.setRule(.none)
            if let store = run.store { #expect(StoreError.Code.of { try store.sync() } == nil, run.comment) }
        })
}
