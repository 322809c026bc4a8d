import Dispatch
import Siltstone
import TableKit

/// Builds an index online, in chunks. Each chunk is a short serial transaction.
///
/// All writers maintain the index from its creation, and no query uses it before the end. A chunk commits the entries
/// of the next rows together with its progress, so a build resumes after a crash. Several threads may work on one
/// build, because each chunk begins at the recorded progress.
struct IndexBuild {
    let engine: SiltstoneEngine
    let table: UInt64
    let index: UInt64

    /// The number of rows in a chunk.
    static let chunkRows = 1_024

    /// The result of a chunk.
    enum Step {
        case goesOn
        /// Queries can use the index.
        case isReady
        /// The index was dropped.
        case isGone
    }

    /// Builds the index to its end.
    /// - Returns: false if the index was removed meanwhile: dropped, replaced by a unique one, or by a build on another
    ///   thread that met duplicates.
    /// - Throws: `TableErrorCode.unique` if rows have the same values. The index is then removed.
    @discardableResult
    func run() throws -> Bool {
        while true {
            switch try step() {
            case .goesOn: continue
            case .isReady: return true
            case .isGone: return false
            }
        }
    }

    /// Adds the entries of the next chunk of rows, in a serial transaction.
    func step() throws -> Step {
        engine.turn.take()
        let session = try engine.beginSerial()
        do {
            let step = try add(session)
            try session.commit()
            return step
        } catch let error as CRUDSQLExeError where error.code == .unique {
            session.rollback()
            if try isReadyOrAbandoned() { return .isReady }
            throw error
        }
    }

    private func add(_ session: SiltstoneSession<Transaction>) throws -> Step {
        guard let description = session.catalogue.table(numbered: table),
            let index = description.indexes.first(where: { $0.description.id == self.index })
        else { return .isGone }
        if index.isReady { return .isReady }
        let progress = KeySpace.build(table, self.index)
        let last = try session.reader.get(progress) ?? []
        let range = KeySpace.range(description.rowPrefix)
        // The key right after the last one.
        let from = last.isEmpty ? range.from : description.rowPrefix + last + [0]
        let entries = IndexEntries(try session.writer(), session.catalogue.writePlan(description), index)
        var (count, key) = (0, last)
        try session.reader.forEach(from: from, to: range.to, limit: IndexBuild.chunkRows) { rowKey, row in
            try entries.add(rowKey, row)
            count += 1
            if count == IndexBuild.chunkRows {
                key = unsafe rowKey.extracting(description.rowPrefix.count..<rowKey.byteCount).withUnsafeBytes {
                    unsafe Array($0)
                }
            }
            return true
        }
        try entries.finish()
        guard count < IndexBuild.chunkRows else {
            try session.writer().put(progress, key)
            return .goesOn
        }
        try session.edit { try $0.makeReady(self.index, in: description.name) }
        return .isReady
    }

    /// Removes the index in a serial transaction, after duplicates were found.
    /// - Returns: true if the index stays, because the duplicates went and a build on another thread completed it.
    private func isReadyOrAbandoned() throws -> Bool {
        engine.turn.take()
        let session = try engine.beginSerial()
        defer { session.rollback() }
        guard let description = session.catalogue.table(numbered: table),
            let index = description.indexes.first(where: { $0.description.id == self.index })
        else { return false }
        if index.isReady { return true }
        try session.edit { try $0.removeIndex(self.index, in: description.name) }
        try session.commit()
        return false
    }
}

extension SiltstoneEngine {
    /// Creates an index outside of any transaction, beside writers, and waits until queries can use it.
    ///
    /// After a crash, the next opening resumes the build.
    /// - Throws: `TableErrorCode.unique` if rows violate a unique index, which is then removed.
    public func buildIndex(_ definition: IndexDefinition) throws {
        try mappingStoreErrors {
            // If the index is removed meanwhile, the next build creates it, or throws the error that removed it.
            while let build = try beginBuild(definition) {
                if try build.run() { return }
            }
        }
    }

    /// Adds an index that is still to be built, or builds it at once in a small table.
    /// - Returns: its build, or that of another caller; nil if queries can use the index.
    private func beginBuild(_ definition: IndexDefinition) throws -> IndexBuild? {
        turn.take()
        let session = try beginSerial()
        defer { session.rollback() }
        if try isSmall(try session.catalogue.table(definition.table), session.reader) {
            try session.alter(.createIndex(definition))
            try session.commit()
            return nil
        }
        var added: UInt64?
        try session.edit { added = try $0.addIndex(definition) }
        let table = try session.catalogue.table(definition.table)
        if let added { try session.writer().put(KeySpace.build(table.id, added), []) }
        let building = table.unfinishedIndex(definition)
        try session.commit()
        return building.map { IndexBuild(engine: self, table: table.id, index: $0.description.id) }
    }

    /// True if the rows of a table fit one chunk. One transaction then builds the index.
    private func isSmall(_ table: TableDescription, _ reader: Transaction) throws -> Bool {
        var rows = 0
        try reader.forEachKey(prefix: table.rowPrefix, limit: IndexBuild.chunkRows) { _ in
            rows += 1
            return true
        }
        return rows < IndexBuild.chunkRows
    }

    /// Resumes the builds that a crash interrupted, one after another on a background thread.
    func resumeBuilds() {
        if store.isReadOnly { return }
        let queue = DispatchQueue(label: "siltstone.builds", qos: .utility)
        for table in catalogues.newest.ordered {
            for index in table.indexes where !index.isReady {
                let (table, index) = (table.id, index.description.id)
                // Weak: closing the engine must not wait for the build.
                queue.async { [weak self] in
                    while true {
                        guard let engine = self else { return }
                        do {
                            guard case .goesOn = try IndexBuild(engine: engine, table: table, index: index).step()
                            else { return }
                        } catch {
                            // Duplicates, after which `step` has removed the index, or a store that refuses writes.
                            return
                        }
                    }
                }
            }
        }
    }
}
