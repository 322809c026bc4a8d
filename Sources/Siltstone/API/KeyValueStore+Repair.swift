extension KeyValueStore {
    /// Repairs a damaged store from all blocks and frames whose checksums are intact.
    ///
    /// Intact segments stay as they are, unless their values are damaged or their order is lost. From damaged segments
    /// and from logs, each block or frame is used that passes its checksum and belongs to the store. Repair invents no
    /// value and deletes none: files that the repaired store does not need are moved to a directory inside the store's
    /// directory. Removed keys may come back if the record of their removal is lost; the report then says so. An intact
    /// store is not changed. After an error, the store's records are as they were or repaired.
    /// - Parameters:
    ///   - path: the directory of the store. It must not be open.
    ///   - configuration: how to read and write files.
    ///   - progress: called with a line of text for each step.
    /// - Returns: what was kept and what is lost.
    /// - Throws: ``StoreError``: ``StoreError/Code/locked``, ``StoreError/Code/notFound`` or
    ///   ``StoreError/Code/notAStore`` if there is no store, ``StoreError/Code/unsupportedFormat``, and others if the
    ///   disk fails.
    public static func repair(
        at path: String, configuration: Configuration = Configuration(), progress: ((String) -> Void)? = nil
    ) throws(StoreError) -> RepairReport {
        var repair = StoreRepair(directory: path, configuration: configuration, progress: progress)
        return try repair.run()
    }
}
