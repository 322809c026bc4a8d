@testable import Siltstone

/// What is asked of a store that has opened well after damage: that it takes writes, and keeps them and everything else.
struct GoingOn {
    let sample: SampleStore
    let fileSystem: InMemoryFileSystem

    /// What is wrong, once a record was written, and the store closed and opened again; nil where nothing is.
    /// - Parameters:
    ///   - store: open for writing; it is closed.
    ///   - model: what it holds.
    func complaint(_ store: KeyValueStore, _ model: RecordedHistory.Model) -> String? {
        let (key, value) = (Array("new".utf8), Array("value".utf8))
        var model = model
        model[key] = value
        do throws(StoreError) {
            try store.put(key, value)
            try store.close()
            var configuration = sample.configuration
            configuration.fileSystem = fileSystem
            configuration.readOnly = true
            let again = try KeyValueStore.open(at: StoreFiles.path, configuration: configuration)
            let observation = StoreContents(again, probes: sample.probes + [key])
            try again.close()
            if let contradiction = observation.contradiction(to: model) { return "opened again: \(contradiction)" }
            if let error = observation.errors.first { return "opened again: \(error)" }
            return observation.isClean ? nil : "opened again, it is not clean: \(observation.verification)"
        } catch { return "to go on with it failed: \(error)" }
    }
}
