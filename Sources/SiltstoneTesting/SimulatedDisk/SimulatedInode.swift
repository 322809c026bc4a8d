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
        guard isTouched, range.lowerBound < memory.size, !range.isEmpty else { return }
        let (now, known) = (seen(), takenForDurable ?? durable)
        let sectors = range.lowerBound / DiskSector.size...(range.upperBound - 1) / DiskSector.size
        for sector in now.differingSectors(from: known) where sectors.contains(sector) {
            overwritten[sector, default: []].append(now.sector(sector))
        }
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
            bytes.append(contentsOf: repeatElement(0, count: max(0, now.bytes.count - bytes.count)))
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
    func afterPowerLoss(survival: Double, _ random: inout DiskRandom) -> FileImage {
        let (now, known) = (seen(), takenForDurable ?? durable)
        var dirty = mayDiffer ? now.differingSectors(from: known) : []
        if !overwritten.isEmpty { dirty = Set(dirty).union(overwritten.keys).sorted() }
        let size = sizes.count > 1 && !random.chance(survival) ? sizes[random.index(sizes.count)] : memory.size
        if dirty.isEmpty && size == durable.size { return durable }

        var bytes = durable.bytes
        let end = dirty.last.map { ($0 + 1) * DiskSector.size } ?? 0
        bytes.append(contentsOf: repeatElement(0, count: max(0, end - bytes.count)))
        for sector in dirty {
            let range = sector * DiskSector.size..<(sector + 1) * DiskSector.size
            guard let written = survivor(sector, now, survival, &random) else { continue }
            bytes.replaceSubrange(range, with: written)
        }
        if bytes.count > size { bytes.removeLast(bytes.count - size) }
        return FileImage(bytes, size: size)
    }

    /// What a sector holds if it was written; nil if it was not.
    private func survivor(
        _ sector: Int, _ now: FileImage, _ survival: Double, _ random: inout DiskRandom
    ) -> [UInt8]? {
        guard random.chance(survival) else {
            // Not what it holds now; perhaps what it held before.
            guard let old = overwritten[sector], random.chance(0.5) else { return nil }
            return old[random.index(old.count)]
        }
        var written = now.sector(sector)
        // Torn: the rest is as it was. A mapped sector may be caught at any store, so more than one is.
        if random.chance(writableMappings > 0 ? 0.25 : 0.1) {
            let old = overwritten[sector].flatMap { $0.randomElement(using: &random) } ?? durable.sector(sector)
            let cut = random.index(DiskSector.size)
            written.replaceSubrange(cut..., with: old[cut...])
        }
        return written
    }
}
