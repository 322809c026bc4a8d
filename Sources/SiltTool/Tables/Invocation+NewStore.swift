import Siltstone

extension Invocation {
    /// Runs `body` with the store, opened for writing, and creates it if there is none. If `body` throws before
    /// anything is committed, a store that this call has created is removed again.
    func creating<R>(_ body: (KeyValueStore) throws -> R) throws -> R {
        let files = NewFiles(in: path)
        do {
            return try writing(createIfMissing: true) { store in
                do { return try body(store) } catch {
                    // The open store holds the lock. A store that others have made meanwhile is not new.
                    if store.isNew, store.statistics.lastSequence == 0 { files.remove() }
                    throw error
                }
            }
        } catch {
            files.removeEmptyDirectory()
            throw error
        }
    }
}
