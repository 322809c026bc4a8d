extension Engine {
    /// The files of the current version and the memtables above it.
    func layout() -> StoreLayout {
        let (version, active, sealed) = writeLock.withLock {
            (state.pointee.version, state.pointee.active, state.pointee.sealed)
        }
        var layout = StoreLayout()
        for (level, runs) in version.levels.enumerated() {
            for run in runs {
                for info in run.segments.map(\.info) {
                    layout.segments.append(
                        .init(
                            number: info.number, level: level, run: run.number, bytes: info.fileBytes,
                            records: info.recordCount, tombstones: info.tombstoneCount + info.rangeTombstoneCount,
                            firstKey: info.firstKey, lastKey: info.lastKey))
                }
            }
        }
        let referenced = version.referencedValueBytes()
        layout.valueFiles = version.valueFiles.sorted { $0.key < $1.key }.map {
            .init(number: $0.key, bytes: $0.value.approximateSize, referencedBytes: referenced[$0.key] ?? 0)
        }
        layout.memTables = ([active] + sealed.reversed()).map {
            .init(
                records: $0.table.entryCount, bytes: $0.table.byteCount, logBytes: $0.extent?.end ?? 0,
                isActive: $0.table === active.table)
        }
        return layout
    }
}
