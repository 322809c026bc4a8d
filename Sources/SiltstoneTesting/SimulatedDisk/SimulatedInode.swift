import Siltstone

/// A file of a simulated disk, independent of its names: the bytes that processes see, those on stable storage, and the
/// states in between.
///
/// `@unchecked Sendable`: used under the file system's lock only; `memory` has its own lock.
final class SimulatedInode: @unchecked Sendable {
    /// The bytes that processes see: the page cache.
    let memory: MemoryFileData
    /// The bytes on stable storage.
    private var durable: FileImage
    /// The bytes that the kernel believes to be on stable storage, after a failed sync: its pages are clean, and no
    /// later sync writes them.
    private var takenForDurable: FileImage?
    /// Earlier contents of sectors since the last sync. Each may have been written.
    private var overwritten: [Int: [[UInt8]]] = [:]
    /// The lengths of the file since the last sync.
    private var sizes: [Int]
    /// Whether the file was changed since the last sync, other than through open mappings.
    private var isTouched = false
    /// The number of mappings for writing, whose stores are not observed.
    private var writableMappings = 0

    init(memory: MemoryFileData, durable: FileImage = FileImage()) {
        self.memory = memory
        self.durable = durable
        sizes = [durable.size]
    }

    private var mayDiffer: Bool { isTouched || writableMappings > 0 }

    /// The file as processes see it.
    ///
    /// Does not wait for stores through a mapping, because a crash does not either.
    private func seen() -> FileImage {
        guard mayDiffer else { return takenForDurable ?? durable }
        return unsafe FileImage(copying: UnsafeRawBufferPointer(start: memory.base, count: memory.size))
    }

    // MARK: Calls

    /// Call before bytes are overwritten: remembers the contents of dirty sectors.
    /// - Parameter range: the bytes; it may extend past the end of the file.
    func willChange(_ range: Range<Int>) {
        forgetFailure(range)
        guard isTouched, range.lowerBound < memory.size, !range.isEmpty else { return }
        let (now, known) = (seen(), takenForDurable ?? durable)
        let sectors = range.lowerBound / DiskSector.size...(range.upperBound - 1) / DiskSector.size
        for sector in now.differingSectors(from: known) where sectors.contains(sector) {
            overwritten[sector, default: []].append(now.sector(sector))
        }
    }

    /// Marks written sectors as dirty again after a failed sync, even if their contents stay the same.
    private func forgetFailure(_ range: Range<Int>) {
        guard let taken = takenForDurable, !range.isEmpty else { return }
        let end = min(range.upperBound, taken.size)
        guard range.lowerBound < end else { return }
        let covered = range.lowerBound / DiskSector.size * DiskSector.size..<end
        let (old, stored) = (taken.allBytes, durable.allBytes)
        let kept = stored + [UInt8](repeating: 0, count: max(0, old.count - stored.count))
        var bytes = old
        for sector in covered.lowerBound / DiskSector.size...(covered.upperBound - 1) / DiskSector.size {
            let place = DiskSector.range(sector, size: bytes.count)
            bytes.replaceSubrange(place, with: kept[place])
        }
        takenForDurable = FileImage(bytes, size: taken.size)
    }

    /// Call after the bytes or the length have changed.
    func didChange() {
        isTouched = true
        if sizes.last != memory.size { sizes.append(memory.size) }
    }

    func didMapForWriting() { writableMappings += 1 }

    func didUnmapForWriting() {
        writableMappings -= 1
        isTouched = true
    }

    /// Brings the visible bytes to stable storage, except those of an earlier failed sync.
    func sync() {
        guard mayDiffer else { return }
        let now = seen()
        if let old = takenForDurable {
            var bytes = durable.allBytes
            bytes += [UInt8](repeating: 0, count: max(0, now.bytes.count - bytes.count))
            for sector in now.differingSectors(from: old) {
                let range = DiskSector.range(sector, size: bytes.count)
                bytes.replaceSubrange(range, with: now.sector(sector)[..<range.count])
            }
            durable = FileImage(bytes, size: now.size)
            takenForDurable = now == durable ? nil : now
        } else {
            durable = now
        }
        settle()
    }

    /// Simulates a failed sync: nothing reaches the disk, and the kernel marks the pages as clean. (A real one may have
    /// written some of the pages.)
    func failSync() {
        takenForDurable = seen()
        settle()
        sizes.insert(durable.size, at: 0)
    }

    private func settle() {
        isTouched = false
        overwritten = [:]
        sizes = [memory.size]
    }

    // MARK: Crashes

    /// The bytes that another process finds after this one has died.
    func afterProcessDeath() -> FileImage { seen() }

    /// The bytes after a loss of power.
    /// - Parameters:
    ///   - survival: the probability that an unsynced sector or length has been written.
    ///   - random: the source of randomness.
    func afterPowerLoss(survival: Double, _ random: inout SplitMix64) -> FileImage {
        let (now, known) = (seen(), takenForDurable ?? durable)
        var dirty = mayDiffer ? now.differingSectors(from: known) : []
        if !overwritten.isEmpty { dirty = Set(dirty).union(overwritten.keys).sorted() }
        let size = sizes.count > 1 && !random.chance(survival) ? sizes[random.index(sizes.count)] : memory.size
        if dirty.isEmpty && size == durable.size { return durable }

        // On plain memory, for speed: a batch leaves hundreds of sectors, and each crash draws for each.
        let end = max(durable.bytes.count, dirty.last.map { ($0 + 1) * DiskSector.size } ?? 0)
        var bytes = durable.bytes + [UInt8](repeating: 0, count: end - durable.bytes.count)
        unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe now.bytes.withUnsafeBytes { now in
                for sector in dirty { unsafe survive(sector, of: now, survival, &random, into: bytes) }
            }
        }
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        return FileImage(bytes, size: size)
    }

    /// Stores the fate of one sector into `bytes`, which holds the durable contents.
    private func survive(
        _ sector: Int, of now: UnsafeRawBufferPointer, _ survival: Double, _ random: inout SplitMix64,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        let start = sector * DiskSector.size
        let target = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + DiskSector.size])
        let older = overwritten.isEmpty ? nil : overwritten[sector]
        guard random.chance(survival) else {
            // The current contents are lost; earlier ones may have been written.
            if let older, random.chance(0.5) { unsafe target.copyBytes(from: older[random.index(older.count)]) }
            return
        }
        // Torn: the rest keeps older contents. Mapped sectors are torn more often, because any store may be the last.
        var count = DiskSector.size
        if random.chance(writableMappings > 0 ? 0.25 : 0.1) {
            if let older { unsafe target.copyBytes(from: older[random.index(older.count)]) }
            count = random.index(DiskSector.size)
        }
        let written = min(max(now.count - start, 0), count)
        if written > 0 {
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: now[start..<start + written]))
        }
        for place in written..<count { unsafe target[place] = 0 }
    }
}

// MARK: Copies
extension SimulatedInode {
    /// A copy in the same state: visible bytes, stable storage and the states in between. It is not open.
    func copy(into memory: MemoryFileData) -> SimulatedInode {
        let image = seen()
        _ = unsafe image.bytes.withUnsafeBytes { unsafe memory.write($0, at: 0) }
        memory.resize(to: image.size, shrinking: false)
        let copy = SimulatedInode(memory: memory, durable: durable)
        copy.takenForDurable = takenForDurable
        copy.overwritten = overwritten
        copy.sizes = sizes
        copy.isTouched = mayDiffer
        return copy
    }
}
