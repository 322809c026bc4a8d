import Synchronization

extension LogWriter {
    /// The reserved disk space and address space of a log, and whether the log accepts writes at all.
    ///
    /// Storing past the end of the file through the mapping is SIGBUS, so frames are stored only before ``room``, which
    /// is never after ``reservedEnd``.
    struct Space {
        /// End of the space that is reserved for the log, as an offset in bytes.
        var reservedEnd: Int
        /// Bytes to reserve in the next step.
        var step: Int
        /// True if space is reserved at all; false once the file system has refused it as unsupported.
        var reserves: Bool
        /// Whether to map the log. False once mapping has failed or the file system cannot reserve space.
        var maps: Bool
        /// The mapping; nil before the first reservation, in an unmapped log, and once sealed.
        var mapping: (any FileMapping)?
        /// Pages before this offset are prefaulted for writing.
        var prefaultedEnd = 0
        /// True once no more frames may be appended.
        var isSealed = false
        /// The error that ended the appends.
        var failure: StoreError?

        init(reservedEnd: Int, _ options: Options) {
            self.reservedEnd = reservedEnd
            step = options.firstStep
            reserves = options.firstStep > 0
            maps = reserves && options.writing == .mapped && Platform.syncCoversMappings
        }

        /// Offset in bytes up to which frames may be stored through the mapping.
        var room: Int { isSealed || failure != nil ? 0 : min(reservedEnd, mapping?.memory.count ?? 0) }
    }

    /// Reservations are rounded up to a multiple of this many bytes, the block size of most file systems. It need not
    /// be the actual page or block size.
    private static let granularity = 4096

    private static func rounded(_ length: Int) -> Int { (length + granularity - 1) & ~(granularity - 1) }

    /// Reserves and maps space for frames up to the offset `needed`. Only the appending caller may call this.
    /// - Throws: if the log accepts no writes, or cannot grow.
    func makeRoom(upTo needed: Int) throws(StoreError) {
        try space.withLock { space throws(StoreError) in
            defer { room.store(space.room, ordering: .releasing) }
            if let failure = space.failure { throw failure.refusal }
            if space.isSealed { throw StoreError(.closed, "the log is closed", file: path) }
            try extend(&space, upTo: needed)
            if space.maps, space.mapping.map({ $0.memory.count < needed }) ?? true { map(&space, upTo: needed) }
            if !space.maps { space.mapping = nil }
            tail.value.mapped = space.mapping?.memory
        }
    }

    /// Reserves space ahead of the end and prefaults its pages, so that appends neither wait for the file system nor
    /// take page faults. Call it from a thread that may wait. An error is not reported here, because the append that
    /// needs the space reports it.
    /// - Parameter bytes: bytes to prepare after the end.
    func prepare(ahead bytes: Int) {
        while let (mapping, range) = takePiece(ahead: bytes) {
            // Outside the lock, because an append may need it. The file may have been cut meanwhile: a hint about pages
            // after its end does nothing.
            mapping.prepareForWriting(offset: range.lowerBound, length: range.count)
        }
    }

    /// Bytes that are reserved and prefaulted at a time. The pieces end at multiples of this size. An append that needs
    /// the lock waits for at most one piece to be reserved and zeroed, about 0.2 ms (`Docs/Experiments.md`, "Zeros
    /// written ahead of a log"). Smaller pieces take more calls. The exact value was not measured.
    private static let pieceBytes = 1 << 20

    /// Reserves the next piece ahead of the end.
    /// - Returns: the mapping, and the offsets in it to prefault; nil if enough space is prepared, if no more can be
    ///   reserved, or if the log is unmapped.
    private func takePiece(ahead bytes: Int) -> (any FileMapping, Range<Int>)? {
        space.withLock { space in
            guard space.failure == nil, !space.isSealed, space.reserves else { return nil }
            let end = end
            let wanted = Self.rounded(min(end + bytes, max(options.capacity, end)))
            if space.reservedEnd < wanted {
                defer { room.store(space.room, ordering: .releasing) }
                // The error is not reported here, because nothing is lost yet.
                do throws(StoreError) { try extendAhead(&space, upTo: wanted) } catch { return nil }
            }
            let from = max(space.prefaultedEnd, end) / Platform.pageSize * Platform.pageSize
            let to = min(space.room, wanted, (from / Self.pieceBytes + 1) * Self.pieceBytes)
            guard let mapping = space.mapping, from < to else { return nil }
            space.prefaultedEnd = to
            return (mapping, from..<to)
        }
    }

    /// Reserves space up to the end of a piece, and writes zeros there. Linux then allocates memory for many pages at
    /// once, in a third of the time that one page after the other takes. No append is active in that space, because
    /// `room` does not include it yet. Runs under the lock, because the reserved end and the file must agree.
    private func extendAhead(_ space: inout Space, upTo wanted: Int) throws(StoreError) {
        guard space.mapping != nil else { return try extend(&space, upTo: wanted) }
        let start = space.reservedEnd
        let end = (start / Self.pieceBytes + 1) * Self.pieceBytes
        do throws(FileSystemError) {
            try reserve(&space, upTo: end)
            try file.writeZeros(start..<end)
        } catch {
            // A store to a page without disk space is SIGBUS, so this forgets the reservation. On a full disk, it also
            // gives back the part that the kernel did allocate.
            setReservedEnd(&space, start)
            if error.isNoSpace { cut(&space, to: start) }
            try noteReserveFailure(error, &space)
        }
    }

    /// Cuts the file at an offset after which nothing is stored. If that fails, the file stays longer, with only zeros
    /// there. Any such failure but a full disk also ends the appends.
    private func cut(_ space: inout Space, to length: Int) {
        do { try retrying(file.truncate(to: length)) } catch {
            if !error.isNoSpace { space.failure = StoreError(error) }
        }
    }

    /// Forgets the space after `length`, once the file was cut there or a cut has failed. Until the space is reserved
    /// again, nothing is stored there, because that could be SIGBUS, and no page there counts as prefaulted.
    func didTruncate(_ space: inout Space, to length: Int) {
        setReservedEnd(&space, length)
        space.prefaultedEnd = min(space.prefaultedEnd, length)
        room.store(space.room, ordering: .releasing)
    }

    /// Reserves the next step or, if the disk is too full for it, only the needed bytes.
    private func extend(_ space: inout Space, upTo needed: Int) throws(StoreError) {
        guard space.reserves, needed > space.reservedEnd else { return }
        // Past the expected size, only the needed space is reserved, because the log is about to be replaced.
        let wanted = Self.rounded(max(needed, min(space.reservedEnd + space.step, options.capacity)))
        do throws(FileSystemError) {
            do throws(FileSystemError) {
                try reserve(&space, upTo: wanted)
            } catch {
                guard error.isNoSpace, Self.rounded(needed) < wanted else { throw error }
                try reserve(&space, upTo: Self.rounded(needed))
            }
            space.step = min(space.step * 2, options.greatestStep)
        } catch {
            try noteReserveFailure(error, &space)
        }
    }

    /// Records the error of a call that reserves space. If the file system cannot reserve, the log is unmapped from now
    /// on. Any other error is thrown; only a full disk lets the log accept later appends.
    private func noteReserveFailure(_ error: FileSystemError, _ space: inout Space) throws(StoreError) {
        if error.isUnsupported {
            space.reserves = false
            space.maps = false
        } else {
            let failure = StoreError(error)
            if !error.isNoSpace { space.failure = failure }
            throw failure
        }
    }

    /// Reserves the space from the reserved end up to `end`.
    private func reserve(_ space: inout Space, upTo end: Int) throws(FileSystemError) {
        let start = space.reservedEnd
        if let spare = options.spare, !spare.allowsLog(end - start, upTo: end) { throw .keptFree(path, offset: start) }
        try retrying(file.reserve(offset: start, length: end - start))
        setReservedEnd(&space, end)
    }

    /// Changes the reserved end, and tells those who leave space free for the flush of the log.
    func setReservedEnd(_ space: inout Space, _ end: Int) {
        options.spare?.noteLog(end - space.reservedEnd)
        space.reservedEnd = end
    }

    /// Releases the reserved space after the last frame, for others who need it more. A later append reserves space
    /// again. Only the appending caller may call this.
    /// - Returns: the number of bytes that are no longer reserved. Counts them also if the file could not be cut.
    func releaseReserve() -> Int {
        space.withLock { space in
            let (end, reserved) = (tail.value.end, space.reservedEnd)
            let kept = Self.rounded(end)
            guard space.failure == nil, !space.isSealed, reserved > kept else { return 0 }
            cut(&space, to: kept)
            space.step = options.firstStep
            didTruncate(&space, to: kept)
            return reserved - kept
        }
    }

    /// Releases the whole reserve if a part of it is prefaulted and everything is synced, because a small sync would
    /// write more of the prefaulted part than needed (``File/writeZeros(_:)``). Space that is reserved again is
    /// prefaulted only by ``prepare(ahead:)``. Only the appending caller may call this.
    func releasePrepared() {
        let isPrepared = space.withLock { $0.prefaultedEnd > Self.rounded(tail.value.end) }
        // The kernel can split the folio in which the log ends only while it has nothing to write back.
        if isPrepared, tail.value.end == syncedEnd { _ = releaseReserve() }
    }

    /// Maps the file. If that fails, the log is unmapped from now on, which costs only time.
    private func map(_ space: inout Space, upTo needed: Int) {
        let length = Self.rounded(max(options.capacity, needed, (space.mapping?.memory.count ?? 0) * 2))
        do {
            space.mapping = try file.map(length: length, writable: true)
            space.prefaultedEnd = 0
        } catch {
            space.maps = false
        }
    }
}
