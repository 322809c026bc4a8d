@testable import Siltstone

/// A sample after a damage, and what can be said of it beforehand.
struct DamagedSample {
    let sample: SampleStore
    let damage: Damage
    let files: StoreFiles

    init(_ sample: SampleStore, _ damage: Damage) {
        self.sample = sample
        self.damage = damage
        files = damage.applied(to: sample.files)
    }

    /// Whether bytes are where and what they were.
    func isIntact(_ extent: Extent) -> Bool {
        guard damage.changes[extent.file] != nil else { return true }
        guard let now = files.bytes(extent.file), let before = sample.files.bytes(extent.file),
            now.count >= extent.range.upperBound
        else { return false }
        return now[extent.range] == before[extent.range]
    }

    func isIntact(_ proof: [Extent]) -> Bool { proof.allSatisfy(isIntact) }

    /// The versions whose bytes are all as they were.
    var provable: [ProvedVersion] { sample.versions.filter { isIntact($0.proof) } }

    // MARK: What may be opened

    /// What the store may hold once it has been opened without complaint.
    func acceptable() -> [RecordedHistory.Model] {
        var models = [sample.history.model]
        if let sequence = tornTail() { models.append(sample.history.states[Int(sequence)]) }
        for moment in sample.earlier where isAsItWas(moment.files) {
            models.append(sample.history.states[moment.changes])
        }
        return models
    }

    /// Whether everything that an earlier moment had is as it was then, so that nothing in these files can tell that time
    /// has passed. (A file of values may have grown: nothing then leads to what is new in it.)
    private func isAsItWas(_ moment: StoreFiles) -> Bool {
        moment.names.allSatisfy { name in
            let (then, now) = (moment.bytes(name) ?? [], files.bytes(name) ?? [])
            return name.hasSuffix(".values") ? now.starts(with: then) : now == then
        }
    }

    /// The last change that is left if the damage cannot be told from a write that a crash has torn: the first frame that
    /// is not whole stands in a log that was in use when the crash came, and no whole frame anywhere vouches for it. Nil
    /// where there is no such loss.
    private func tornTail() -> SequenceNumber? {
        guard !sample.isClosed else { return nil }
        for (index, log) in sample.logs.enumerated() {
            guard isIntact(Extent(file: log.file, range: 0..<FileHeader.size)) else { return nil }
            guard let broken = log.frames.firstIndex(where: { !isIntact($0.proof) }) else { continue }
            let place = log.frames[broken].offset
            let isVouchedHere = log.frames.contains { $0.mark > place && isIntact($0.proof[0]) }
            let isVouchedLater = sample.logs[(index + 1)...].enumerated().contains { distance, later in
                // The next log tells how much of this one was synced; those behind it, that the one before them was.
                let least = distance == 0 ? place + 1 : LogLink.end
                return later.link.synced >= UInt64(least) && isIntact(later.frames[0].proof[0])
                    || later.frames.contains { $0.mark >= LogLink.end && isIntact($0.proof[0]) }
            }
            if isVouchedHere || isVouchedLater { return nil }
            if broken > 0 { return log.frames[broken - 1].lastSequence }
            return index > 0 ? sample.logs[index - 1].frames.last?.lastSequence : sample.firstLogged
        }
        return nil
    }
}

extension SampleStore {
    /// The last change that is in segments.
    var firstLogged: SequenceNumber { logs.first?.frames.first?.lastSequence ?? 0 }
}
