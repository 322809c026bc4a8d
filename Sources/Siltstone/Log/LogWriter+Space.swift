import Synchronization

extension LogWriter {
    /// The disk space and the address space of a log, and whether it may be written at all.
    struct Space {
        /// Where the space ends that was taken for the log, in bytes.
        var reserved: Int
        /// Bytes to take next time.
        var step: Int
        /// Whether to reserve at all.
        var reserves: Bool
        /// Whether frames go through a mapping, once there is one.
        var maps: Bool
        var mapping: (any FileMapping)?
        /// Pages before this offset were prepared for writing.
        var populated = 0
        /// Whether nothing more is to be appended.
        var isSealed = false
        /// Why nothing more can be appended.
        var failure: StoreError?

        init(reserved: Int, _ options: Options) {
            self.reserved = reserved
            step = options.firstStep
            reserves = options.firstStep > 0
            maps = reserves && options.writing == .mapped && Platform.syncCoversMappings
        }

        /// How far frames may be stored through the mapping.
        var room: Int { isSealed || failure != nil ? 0 : min(reserved, mapping?.memory.count ?? 0) }
    }

    /// Whole pages are reserved, in bytes. The true size of a page does not matter.
    private static let granularity = 4096

    private static func rounded(_ length: Int) -> Int { (length + granularity - 1) & ~(granularity - 1) }

    /// Takes space for frames up to `needed`, by the caller that appends.
    /// - Throws: where the log may not be written, or has no room to grow.
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

    /// Reserves space ahead of the end and prepares its pages, so that appends neither wait for the file system nor
    /// take page faults. To be called from a thread that may wait; that it fails shows in the append that needs it.
    /// - Parameter bytes: how far ahead.
    func prepare(ahead bytes: Int) {
        while let (mapping, range) = takePiece(ahead: bytes) {
            // Outside the lock, which an append may need.
            mapping.prepareForWriting(offset: range.lowerBound, length: range.count)
        }
    }

    /// Bytes that are taken and prepared at a time, at multiples of it.
    private static let pieceBytes = 1 << 20

    /// Takes the next piece of space ahead; nil where there is enough, or none to be had.
    /// - Returns: what of it is to be made present.
    private func takePiece(ahead bytes: Int) -> (any FileMapping, Range<Int>)? {
        space.withLock { space in
            guard space.failure == nil, !space.isSealed, space.reserves else { return nil }
            let end = end
            let wanted = Self.rounded(min(end + bytes, max(options.capacity, end)))
            if space.reserved < wanted {
                defer { room.store(space.room, ordering: .releasing) }
                // Not reported here: nothing is lost yet.
                do throws(StoreError) { try extendAhead(&space, upTo: wanted) } catch { return nil }
            }
            let from = max(space.populated, end) / Platform.pageSize * Platform.pageSize
            let to = min(space.room, wanted, (from / Self.pieceBytes + 1) * Self.pieceBytes)
            guard let mapping = space.mapping, from < to else { return nil }
            space.populated = to
            return (mapping, from..<to)
        }
    }

    /// Reserves space up to the end of a piece, and writes zeros there: Linux then takes memory for many pages at once, in a
    /// third of the time that it takes for them one by one. No append is under way there: it is not in its room yet.
    private func extendAhead(_ space: inout Space, upTo wanted: Int) throws(StoreError) {
        guard space.mapping != nil else { return try extend(&space, upTo: wanted) }
        let start = space.reserved
        let end = (start / Self.pieceBytes + 1) * Self.pieceBytes
        do throws(FileSystemError) {
            try reserve(&space, upTo: end)
            try file.writeZeros(start..<end)
        } catch {
            // Nothing may be stored where the kernel has found no space; what it has taken of it is given back.
            space.reserved = start
            if error.isNoSpace { cut(&space, to: start) }
            try note(error, &space)
        }
    }

    /// Cuts the file where nothing is stored behind. Where that fails it stays as long as it is: there are zeros.
    private func cut(_ space: inout Space, to length: Int) {
        do { try retryingInterrupted { () throws(FileSystemError) in try file.truncate(to: length) } } catch {
            if !error.isNoSpace { space.failure = StoreError(error) }
        }
    }

    /// Notes that the file was cut, or was to be: nothing may be stored behind its end, and no page there is prepared any more.
    func noteCut(_ space: inout Space, to length: Int) {
        space.reserved = length
        space.populated = min(space.populated, length)
        room.store(space.room, ordering: .releasing)
    }

    /// Reserves the next step, or, where the disk is too full for it, just what is needed.
    private func extend(_ space: inout Space, upTo needed: Int) throws(StoreError) {
        guard space.reserves, needed > space.reserved else { return }
        let wanted = Self.rounded(max(needed, min(space.reserved + space.step, options.capacity)))
        do throws(FileSystemError) {
            do throws(FileSystemError) {
                try reserve(&space, upTo: wanted)
            } catch {
                guard error.isNoSpace, Self.rounded(needed) < wanted else { throw error }
                try reserve(&space, upTo: Self.rounded(needed))
            }
            space.step = min(space.step * 2, options.greatestStep)
        } catch {
            try note(error, &space)
        }
    }

    /// What follows from an error of a call that takes space.
    private func note(_ error: FileSystemError, _ space: inout Space) throws(StoreError) {
        if error.isUnsupported {
            space.reserves = false
            space.maps = false
        } else {
            let failure = StoreError(error)
            if !error.isNoSpace { space.failure = failure }
            throw failure
        }
    }

    private func reserve(_ space: inout Space, upTo end: Int) throws(FileSystemError) {
        let start = space.reserved
        try retryingInterrupted { () throws(FileSystemError) in try file.reserve(offset: start, length: end - start) }
        space.reserved = end
    }

    /// Gives back the space behind the last frame, for others who need it more; an append that comes takes some again. By
    /// the caller that appends.
    /// - Returns: the bytes that were given back.
    func releaseReserve() -> Int {
        space.withLock { space in
            let (end, reserved) = (tail.value.end, space.reserved)
            let kept = Self.rounded(end)
            guard space.failure == nil, !space.isSealed, reserved > kept else { return 0 }
            cut(&space, to: kept)
            space.step = options.firstStep
            noteCut(&space, to: kept)
            return reserved - kept
        }
    }

    /// Gives back prepared space where everything is synced: a small sync would write more of it than
    /// needed (``File/writeZeros(_:)``). What is taken again is not prepared, unless that is asked for. By the caller that appends.
    func releasePrepared() {
        let isPrepared = space.withLock { $0.populated > Self.rounded(tail.value.end) }
        // While the kernel has nothing to write it can cut the folio in which the log ends.
        if isPrepared, tail.value.end == syncedEnd { _ = releaseReserve() }
    }

    /// Maps the file, or gives up mapping it: to write it instead loses nothing but time.
    private func map(_ space: inout Space, upTo needed: Int) {
        let length = Self.rounded(max(options.capacity, needed, (space.mapping?.memory.count ?? 0) * 2))
        do {
            space.mapping = try file.map(length: length, writable: true)
            space.populated = 0
        } catch {
            space.maps = false
        }
    }

    /// Ends the writing to this log.
    /// - Returns: `error`, to be thrown by the call that met it. Later calls are refused with it as the cause.
    func fail(_ error: StoreError) -> StoreError {
        space.withLock { space in
            if space.failure == nil { space.failure = error }
            room.store(0, ordering: .releasing)
        }
        return error
    }

    /// The error that ended the writing to this log.
    var failure: StoreError? { space.withLock { $0.failure } }
}

extension StoreError {
    /// The error of every write after this one ended the writing.
    var refusal: StoreError {
        StoreError(
            .refusesWrites,
            "an earlier write failed, and the store takes no more until it is opened again (\(message))",
            file: file, offset: offset, errorNumber: errorNumber)
    }
}
