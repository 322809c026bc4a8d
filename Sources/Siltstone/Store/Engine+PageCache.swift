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

    /// Starts to read what look-ups of some keys will touch, so that the disk works on all of them at once.
    /// - Returns: whether anything has to be read; false where the store fits into memory, without a look.
    func beginReading(_ keys: some Sequence<some Collection<UInt8>>, at sequence: SequenceNumber?) -> Bool {
        guard pageCache.isTight, configuration.access == .mapped, !isStopping.load(ordering: .relaxed) else {
            return false
        }
        let reading = views.enter()
        defer { views.leave(reading) }
        let visible = sequence ?? visible.load(ordering: .acquiring)
        return reading.view._withUnsafeGuaranteedRef { view in
            var isReading = false
            for key in keys {
                let isReady = withContiguousBytes(key) { view.isReady($0, visible: visible) }
                if !isReady { isReading = true }
            }
            return isReading
        }
    }
}
