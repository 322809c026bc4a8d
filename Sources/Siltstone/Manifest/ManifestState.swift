/// The state of a manifest after all of its edits: the files that make up the store.
struct ManifestState: Hashable, Sendable {
    /// The number of the next file. All files share one sequence of numbers.
    var nextFileNumber: UInt64 = 1
    /// Logs with changes that are not in segments yet, oldest first.
    var logs: [UInt64] = []
    /// Live segments by number.
    var segments: [UInt64: VersionEdit.PlacedSegment] = [:]
    /// Live value files.
    var valueFiles: Set<UInt64> = []
    /// No segment has a greater sequence number. Logs may have greater ones.
    var lastSequence: SequenceNumber = 0
    /// The active log at the last clean close, and its length in bytes. Up to there it was on stable storage, so for
    /// recovery an invalid frame before that is damage, not a torn tail. Later edits do not clear it.
    var closing: VersionEdit.Closing?

    /// Applies an edit.
    /// - Parameters:
    ///   - path: the manifest, for errors.
    ///   - offset: the offset of the edit in the manifest, in bytes, for errors.
    /// - Throws: ``StoreError/Code/corrupt`` if the edit contradicts the state. Edits of an intact manifest never do.
    ///   The state is then only partly changed, and of no use.
    mutating func apply(_ edit: VersionEdit, path: String, offset: Int) throws(StoreError) {
        func require(_ condition: Bool, _ what: @autoclosure () -> String) throws(StoreError) {
            if !condition { throw .corrupt("the manifest contradicts itself: \(what())", file: path, offset: offset) }
        }
        if let number = edit.nextFileNumber {
            try require(number >= nextFileNumber, "file numbers go back from \(nextFileNumber) to \(number)")
            try require(number <= StoreFile.greatestNumber, "the next file number is \(number)")
            nextFileNumber = number
        }
        for number in edit.removedLogs {
            try require(logs.contains(number), "log \(number) is removed and was not live")
            logs.removeAll { $0 == number }
        }
        for number in edit.addedLogs {
            try require(logs.last.map { $0 < number } ?? true, "log \(number) is added out of order")
            logs.append(number)
        }
        for number in edit.removedSegments {
            try require(segments.removeValue(forKey: number) != nil, "segment \(number) is removed and was not live")
        }
        for segment in edit.addedSegments {
            let previous = segments.updateValue(segment, forKey: segment.info.number)
            try require(previous == nil, "segment \(segment.info.number) is added twice")
        }
        for number in edit.removedValueFiles {
            try require(valueFiles.remove(number) != nil, "value file \(number) is removed and was not live")
        }
        for number in edit.addedValueFiles {
            try require(valueFiles.insert(number).inserted, "value file \(number) is added twice")
        }
        if let sequence = edit.lastSequence { lastSequence = max(lastSequence, sequence) }
        if let closing = edit.closing { self.closing = closing }
    }

    /// The segments that an edit drops, one array for each run, in the order of their removal: deeper levels first, and
    /// of level 0 the oldest run first. Leaves out segments that the edit moves to another run. Called before the edit
    /// is applied.
    func runsDropped(by edit: VersionEdit) -> [[UInt64]] {
        if edit.removedSegments.isEmpty { return [] }
        let moved = Set(edit.addedSegments.map(\.info.number))
        let dropped = edit.removedSegments.compactMap { segments[$0] }.filter { !moved.contains($0.info.number) }
        let runs = Dictionary(grouping: dropped, by: { [UInt64($0.level), $0.run] }).values
        return runs.sorted { ($0[0].level, $1[0].run) > ($1[0].level, $0[0].run) }.map { $0.map(\.info.number) }
    }

    /// Checks that no segment has changes after the last sequence number. Otherwise readers would not see those
    /// changes, and new changes would get the same sequence numbers.
    /// - Throws: ``StoreError/Code/corrupt`` if one has.
    func checkLastSequence(path: String, offset: Int) throws(StoreError) {
        guard let newest = segments.values.map(\.info).max(by: { $0.greatestSequence < $1.greatestSequence }),
            newest.greatestSequence > lastSequence
        else { return }
        throw .corrupt(
            "the manifest contradicts itself: its last sequence number is \(lastSequence), but "
                + "\(StoreFile.segment(newest.number).name) has changes up to \(newest.greatestSequence)",
            file: path, offset: offset)
    }

    /// Returns the edit that makes this state from an empty one: the first edit of a new manifest.
    func asEdit() -> VersionEdit {
        VersionEdit(
            nextFileNumber: nextFileNumber, addedLogs: logs,
            addedSegments: segments.values.sorted { $0.info.number < $1.info.number },
            addedValueFiles: valueFiles.sorted(), lastSequence: lastSequence, closing: closing)
    }

    /// All files that must exist.
    var liveFiles: Set<StoreFile> {
        Set(logs.map { .log($0) }).union(segments.keys.map { .segment($0) }).union(valueFiles.map { .values($0) })
    }
}
