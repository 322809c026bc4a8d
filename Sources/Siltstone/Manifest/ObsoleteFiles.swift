/// Removes files that the manifest does not name any more. Defers the removals while a checkpoint links files or a
/// verification reads them.
///
/// A file is removed as soon as the edit that drops it is durable; a flushed log follows a moment later. Readers that
/// still have the file open or mapped keep its bytes. Removal takes only the name; the file system frees the space
/// after the last reader.
///
/// A checkpoint or verification reaches files by name, and relies on the directory's lock. So the store releases that
/// lock only after the last hold has ended.
final class ObsoleteFiles: Sendable {
    private let directory: String
    private let fileSystem: any FileSystem
    /// See ``StoreDirectory/isInPlace``.
    private let isInPlace: @Sendable () -> Bool
    private let state: Locked<State>
    /// Makes the removals durable. The version set's own function takes the manifest lock and records a failure.
    let syncRemovals: HeapCell<Sync>

    /// A closure in a structure, because Swift 6.3 crashes where a generic container is made from a closure that throws
    /// a concrete type.
    struct Sync {
        let run: () throws(StoreError) -> Void
    }

    private struct State {
        /// Number of ``holding(_:)`` calls that are running.
        var holds = 0
        /// Files to remove when the last hold ends.
        var waiting: [StoreFile] = []
        /// Groups of files to remove in this order when the last hold ends.
        var waitingGroups: [[StoreFile]] = []
        /// Groups that ``remove(inOrder:)`` could not remove yet.
        var kept: [[StoreFile]]
        /// Number of ``remove(inOrder:after:)`` calls that are running.
        var removals = 0
        /// True once the store is closing: no new hold may start.
        var refusesHolds = false
    }

    /// - Parameters:
    ///   - kept: the groups that the opening could not remove.
    ///   - isInPlace: returns false if the files in the directory may belong to another store.
    init(
        directory: String, fileSystem: any FileSystem, kept: [[StoreFile]] = [],
        isInPlace: @escaping @Sendable () -> Bool = { true }
    ) {
        self.directory = directory
        self.fileSystem = fileSystem
        self.isInPlace = isInPlace
        state = Locked(State(kept: kept), rank: .leaf)
        syncRemovals = HeapCell(Sync { () throws(StoreError) in try fileSystem.syncNames(in: directory) })
    }

    /// Removes files, now or when the last hold ends.
    ///
    /// A failure is not an error of the store, because nothing refers to the file, and the next opening tries again.
    func remove(_ files: [StoreFile]) {
        let now = state.withLock { state in
            if state.holds == 0 { return files }
            state.waiting += files
            return []
        }
        unlink(now)
    }

    /// Removes groups of files one after the other, now or when the last hold ends. The removals of a group are durable
    /// before the next group is removed.
    ///
    /// If a file cannot be removed, the later groups stay, too. The next call tries again before it removes its own
    /// groups, and the next opening removes what is left. Calls follow one another: compactions make them, on one
    /// queue.
    /// - Throws: the error of a sync between two groups, if it leaves the state on disk unknown. A refused sync is no
    ///   error, nor is a failed removal, as in ``remove(_:)``.
    func remove(inOrder groups: [[StoreFile]]) throws(StoreError) {
        let isHeld = state.withLock { state in
            if state.holds > 0 { state.waitingGroups += groups }
            return state.holds > 0
        }
        if !isHeld { try unlink(inOrder: groups) }
    }

    /// Applies the edit that drops the files, and removes them like ``remove(inOrder:)``. Until both have ended,
    /// ``hasRemovedInputs`` is false.
    func remove(inOrder groups: [[StoreFile]], after edit: () throws(StoreError) -> Void) throws(StoreError) {
        state.withLock { $0.removals += 1 }
        defer { state.withLock { $0.removals -= 1 } }
        try edit()
        try remove(inOrder: groups)
    }

    /// True if no input of a compaction waits for its removal.
    ///
    /// A flush into a store without runs may then drop sequence numbers and tombstones. Beside such an input, a repair
    /// could take the input's records for newer ones.
    var hasRemovedInputs: Bool {
        state.withLock { $0.removals == 0 && $0.waitingGroups.isEmpty && $0.kept.isEmpty }
    }

    /// The groups that could not be removed yet.
    var kept: [[StoreFile]] { state.withLock { $0.kept } }

    /// Runs `body`, and keeps all logs, segments and value files in place meanwhile. Replaced manifests are removed.
    /// - Throws: ``StoreError/Code/closed`` if the store is closing already; any error that `body` throws.
    func holding<R>(_ body: () throws(StoreError) -> R) throws(StoreError) -> R {
        let isRefused = state.withLock { state in
            if !state.refusesHolds { state.holds += 1 }
            return state.refusesHolds
        }
        if isRefused { throw StoreError(.closed, "the store is closed; open it again", file: directory) }
        defer { endHold() }
        return try body()
    }

    private func endHold() {
        while true {
            let (files, groups) = state.withLock { state -> ([StoreFile], [[StoreFile]]) in
                if state.holds == 1, !state.waiting.isEmpty || !state.waitingGroups.isEmpty {
                    defer { (state.waiting, state.waitingGroups) = ([], []) }
                    return (state.waiting, state.waitingGroups)
                }
                state.holds -= 1
                return ([], [])
            }
            if files.isEmpty, groups.isEmpty { return state.wakeAll() }
            // Removes the files before it ends the hold, because afterwards the directory may belong to another store.
            unlink(files)
            if groups.isEmpty { continue }
            // The version set has recorded the failure of a sync. The rest of the groups is kept.
            do { try unlink(inOrder: groups) } catch { continue }
        }
    }

    /// Refuses new holds, and waits until the present ones have ended. A second call does the same.
    func endHolds() {
        state.withLock { $0.refusesHolds = true }
        state.wait { $0.holds > 0 ? nil : () }
    }

    private func unlink(_ files: [StoreFile]) {
        for file in files { _ = unlink(file) }  // see `remove`
    }

    private func unlink(inOrder groups: [[StoreFile]]) throws(StoreError) {
        var groups = state.withLock { state in
            defer { state.kept = [] }
            return state.kept + groups
        }
        // Another call may have kept groups meanwhile; they are newer.
        defer { state.withLock { $0.kept = groups + $0.kept } }
        while let group = groups.first {
            groups[0] = group.filter { !unlink($0) }
            guard groups[0].isEmpty else { return }
            if groups.count > 1, try !syncRemovalsOfGroup() { return }
            groups.removeFirst()
        }
    }

    /// Makes the removals of a group durable.
    /// - Returns: false if the sync was refused. The empty group then stays first, and the next call begins with the
    ///   sync.
    private func syncRemovalsOfGroup() throws(StoreError) -> Bool {
        do throws(StoreError) { try syncRemovals.value.run() } catch {
            if error.leavesDoubt { throw error }
            return false
        }
        return true
    }

    /// - Returns: false if the file is still there.
    private func unlink(_ file: StoreFile) -> Bool {
        guard isInPlace() else { return false }
        let path = file.path(in: directory)
        do throws(FileSystemError) { try retrying(fileSystem.remove(path)) } catch { return error.isMissing }
        return true
    }
}
