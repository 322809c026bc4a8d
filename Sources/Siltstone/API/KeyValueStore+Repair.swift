extension KeyValueStore {
    /// Makes a damaged store whole again out of everything that its own bytes still prove.
    ///
    /// Segments that are well stay as they are; of damaged ones, and of logs, each block or frame that passes its
    /// checksum is taken. Nothing is invented, and nothing is thrown away: what the repaired store does not need is put
    /// aside in a directory inside the store's. A store that is well is not changed.
    /// - Parameters:
    ///   - path: the store's directory. Nobody else may have it open.
    ///   - configuration: how files are read and written.
    ///   - progress: called with a line of text for each step.
    /// - Throws: ``StoreError`` where the store is locked, or the disk fails.
    public static func repair(
        at path: String, configuration: Configuration = Configuration(), progress: ((String) -> Void)? = nil
    ) throws(StoreError) -> RepairReport {
        var repair = StoreRepair(directory: path, configuration: configuration, progress: progress)
        return try repair.run()
    }
}
