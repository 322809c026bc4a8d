import Dispatch
import Synchronization

extension Engine {
    /// Looks again whether the store's files fit into memory, in the background.
    func measureMemorySoon() {
        preparationQueue.async { [reference] in
            guard let engine = reference.value else { return }
            engine.measureMemory()
        }
    }

    private func measureMemory() {
        let version = writeLock.withLock { state.pointee.version }
        guard pageCache.measure(version) else { return }
        // What readers may count on is part of their view.
        writeLock.withLock {
            if !state.pointee.isClosed { publishView() }
        }
        retireViews()
    }
}
