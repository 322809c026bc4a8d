@testable import Siltstone

/// Everything that a store says when it is asked for everything.
struct StoreContents {
    var gets: [([UInt8], Result<[UInt8]?, StoreError>)] = []
    var forward: (entries: [Entry], error: StoreError?)
    var backward: (entries: [Entry], error: StoreError?)
    var verification: Result<VerificationReport, StoreError>

    init(_ store: KeyValueStore, probes: [[UInt8]]) {
        for key in probes { gets.append((key, Result { () throws(StoreError) in try store.get(key) })) }
        forward = Self.walk(store, reverse: false)
        backward = Self.walk(store, reverse: true)
        verification = Result { () throws(StoreError) in try store.verify() }
    }

    private static func walk(_ store: KeyValueStore, reverse: Bool) -> ([Entry], StoreError?) {
        var entries: [Entry] = []
        do {
            let cursor = try store.scan(reverse: reverse)
            while let entry = try cursor.next() { entries.append(entry) }
            return (entries, nil)
        } catch { return (entries, error) }
    }

    /// All errors that reads met.
    var errors: [StoreError] {
        gets.compactMap { if case .failure(let error) = $0.1 { error } else { nil } }
            + [forward.error, backward.error].compactMap { $0 }
    }

    /// Whether verification found every byte well.
    var isClean: Bool { if case .success(let report) = verification { report.isClean } else { false } }

    /// What is wrong if the store should hold `model` and errors are allowed; nil where nothing is.
    func contradiction(to model: RecordedHistory.Model) -> String? {
        for (key, result) in gets {
            if case .success(let value) = result, value != model[key] {
                return
                    "get of \(text(key)) gave \(value.map(text) ?? "nothing") for \(model[key].map(text) ?? "nothing")"
            }
        }
        let sorted = model.map { Entry(key: $0.key, value: $0.value) }
            .sorted { $0.key.precedes($1.key) }
        return contradiction(forward, to: sorted, "forward")
            ?? contradiction(backward, to: sorted.reversed(), "backward")
    }

    private func contradiction(
        _ walk: (entries: [Entry], error: StoreError?), to model: [Entry], _ direction: String
    ) -> String? {
        let expected = walk.error == nil ? model : Array(model.prefix(walk.entries.count))
        if walk.entries == expected { return nil }
        let found = walk.entries.map { text($0.key) }.joined(separator: " ")
        return
            "the scan \(direction) gave \(walk.entries.count) entries (\(found)) that are not the \(model.count) there are"
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(24), as: UTF8.self).debugDescription }
}
