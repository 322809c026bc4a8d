import Siltstone

/// A file of a simulated disk, whatever its names are: what processes see, what is on stable storage, and what lies
/// between.
///
/// `@unchecked Sendable`: used under the lock of the file system alone; the bytes that processes see have a guard of
/// their own.
final class SimulatedInode: @unchecked Sendable {
    /// What processes see: the page cache.
    let memory: MemoryFileData
    /// What is on stable storage.
    private var durable: FileImage
    /// What the kernel takes to be on stable storage, where that is not true: pages of a sync that failed are clean, and
    /// no later sync writes them.
    private var takenForDurable: FileImage?
    /// What sectors held since the last sync and hold no longer: each may have been written at its time.
    private var overwritten: [Int: [[UInt8]]] = [:]
    /// The lengths that the file had since the last sync.
    private var sizes: [Int]
    /// Whether the file was written since the last sync, other than through mappings.
    private var isTouched = false
    /// Mappings for writing, which nobody sees being used.
    private var writableMappings = 0

    init(memory: MemoryFileData, durable: FileImage = FileImage()) {
        self.memory = memory
        self.durable = durable
        sizes = [durable.size]
    }

    private var mayDiffer: Bool { isTouched || writableMappings > 0 }

    /// The file as processes see it.
    ///
    /// Who stores through a mapping at this moment is not waited for: a crash does not do so either.
    private func seen() -> FileImage {
        guard mayDiffer else { return takenForDurable ?? durable }
        return FileImage(copying: UnsafeRawBufferPointer(start: memory.base, count: memory.size))
    }

    // MARK: Calls

    /// To be called before bytes are overwritten: remembers what the sectors hold, where that is on no disk yet.
    /// - Parameter range: in bytes; may go past the end of the file.
    func willChange(_ range: Range<Int>) {
        forgetFailure(range)
        guard isTouched, range.lowerBound < memory.size, !range.isEmpty else { return }
        let (now, known) = (seen(), takenForDurable ?? durable)
        let sectors = range.lowerBound / DiskSector.size...(range.upperBound - 1) / DiskSector.size
        for sector in now.differingSectors(from: known) where sectors.contains(sector) {
            overwritten[sector, default: []].append(now.sector(sector))
        }
    }

    /// Sectors that are written are dirty again, whatever a failed sync made of them, and though they hold what they held.
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

    /// To be called after the bytes or the length were changed.
    func didChange() {
        isTouched = true
        if sizes.last != memory.size { sizes.append(memory.size) }
    }

    func didMapForWriting() { writableMappings += 1 }

    func didUnmapForWriting() {
        writableMappings -= 1
        isTouched = true
    }

    /// Brings what processes see to stable storage, but for what an earlier sync failed to bring there.
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

    /// A sync that fails: nothing reaches the disk, and the kernel forgets that it should.
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

    /// What another process finds after this one has died.
    func afterProcessDeath() -> FileImage { seen() }

    /// What is found after a loss of power.
    /// - Parameters:
    ///   - survival: the probability that a sector, or a length, that no sync covers has been written.
    ///   - random: decides.
    func afterPowerLoss(survival: Double, _ random: inout SplitMix64) -> FileImage {
        let (now, known) = (seen(), takenForDurable ?? durable)
        var dirty = mayDiffer ? now.differingSectors(from: known) : []
        if !overwritten.isEmpty { dirty = Set(dirty).union(overwritten.keys).sorted() }
        let size = sizes.count > 1 && !random.chance(survival) ? sizes[random.index(sizes.count)] : memory.size
        if dirty.isEmpty && size == durable.size { return durable }

        // On plain memory: a batch leaves hundreds of sectors, and each crash draws for each of them.
        let end = max(durable.bytes.count, dirty.last.map { ($0 + 1) * DiskSector.size } ?? 0)
        var bytes = durable.bytes + [UInt8](repeating: 0, count: end - durable.bytes.count)
        bytes.withUnsafeMutableBytes { bytes in
            now.bytes.withUnsafeBytes { now in
                for sector in dirty { survive(sector, of: now, survival, &random, into: bytes) }
            }
        }
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        return FileImage(bytes, size: size)
    }

    /// Puts into `bytes`, which hold what is durable, what became of one sector.
    private func survive(
        _ sector: Int, of now: UnsafeRawBufferPointer, _ survival: Double, _ random: inout SplitMix64,
        into bytes: UnsafeMutableRawBufferPointer
    ) {
        let start = sector * DiskSector.size
        let target = UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + DiskSector.size])
        let older = overwritten.isEmpty ? nil : overwritten[sector]
        guard random.chance(survival) else {
            // Not what it holds now; perhaps what it held before.
            if let older, random.chance(0.5) { target.copyBytes(from: older[random.index(older.count)]) }
            return
        }
        // Torn: the rest is as it was. A mapped sector may be caught at any store, so more of them are.
        var count = DiskSector.size
        if random.chance(writableMappings > 0 ? 0.25 : 0.1) {
            if let older { target.copyBytes(from: older[random.index(older.count)]) }
            count = random.index(DiskSector.size)
        }
        let written = min(max(now.count - start, 0), count)
        if written > 0 { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: now[start..<start + written])) }
        for place in written..<count { target[place] = 0 }
    }
}

/// Copies, for a disk that goes on as this one is now.
extension SimulatedInode {
    /// A file in the same state: the same bytes for processes, the same on stable storage, the same between. Nobody has it
    /// open.
    func copy(into memory: MemoryFileData) -> SimulatedInode {
        let image = seen()
        _ = image.bytes.withUnsafeBytes { memory.write($0, at: 0) }
        memory.resize(to: image.size, shrinking: false)
        let copy = SimulatedInode(memory: memory, durable: durable)
        copy.takenForDurable = takenForDurable
        copy.overwritten = overwritten
        copy.sizes = sizes
        copy.isTouched = mayDiffer
        return copy
    }
}
