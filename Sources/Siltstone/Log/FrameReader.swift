/// Reads the frames of a log or a manifest, from the first to the last valid one.
///
/// It never returns a frame after the first invalid one, however intact that frame is, because it belongs to a history
/// that has lost a part. ``tail()`` says whether the rest is the end of the log or damage.
struct FrameReader {
    let path: String
    /// The checked file header.
    let header: FileHeader
    /// Keeps the returned payloads valid.
    let contents: FileContents
    /// End of the last frame read, as an offset in bytes.
    private(set) var end = FileHeader.size
    /// The checksum of the last frame read, or of the header if there was none.
    private(set) var lastChecksum: UInt32
    /// The kind of the last frame read; nil if there was none.
    private(set) var lastKind: FrameKind?
    /// The largest synced mark of the frames read, in bytes.
    private(set) var syncedMark = 0
    /// The reason why there is no further frame; nil while there may be one.
    private(set) var fault: FrameFault?
    /// The state before the last frame read, for ``rejectLast(_:)``; nil if there is no frame to reject.
    private var beforeLast: (end: Int, checksum: UInt32, kind: FrameKind?, mark: Int)?
    /// The checksum of the file header, which the checksum of every frame covers.
    let fileChecksum: UInt32

    /// Opens a file and checks its header.
    /// - Parameters:
    ///   - kind: the kind that the header must have.
    ///   - store: the store that the file must belong to; nil if it is not known.
    ///   - number: the number that the header must have.
    ///   - mapped: true to map the file, false to read it.
    /// - Throws: ``StoreError/Code/corrupt`` or ``StoreError/Code/unsupportedFormat`` for the header; the errors of
    ///   opening and reading the file.
    init(
        _ fileSystem: any FileSystem, path: String, kind: FileHeader.Kind, store: StoreIdentity?, number: UInt64,
        mapped: Bool = true
    ) throws(StoreError) {
        let contents = try storeErrors(FileContents(retrying(fileSystem.open(path, .read)), mapped: mapped))
        let header = try FileHeader(contents.bytes, kind: kind, store: store, number: number, path: path)
        self.init(contents, header: header, path: path)
    }

    /// Creates a reader for a file whose header was checked.
    init(_ contents: FileContents, header: FileHeader, path: String) {
        self.path = path
        self.header = header
        self.contents = contents
        fileChecksum = header.checksum
        lastChecksum = fileChecksum
    }

    /// Reads the next frame; nil after the last valid one.
    /// - Throws: ``StoreError/Code/unsupportedFormat`` for a frame that is valid except for an unknown kind.
    /// - Complexity: O(*n*) in the bytes of the frame.
    mutating func next() throws(StoreError) -> Frame? {
        if fault != nil { return nil }
        do throws(FrameFault) {
            let frame = try Frame(contents.bytes, at: end, fileChecksum: fileChecksum)
            if frame.previous != lastChecksum { throw .notChained }
            beforeLast = (end, lastChecksum, lastKind, syncedMark)
            (end, lastChecksum, lastKind) = (frame.end, frame.checksum, frame.kind)
            syncedMark = max(syncedMark, frame.syncedMark)
            return frame
        } catch {
            if case .unknownKind(let kind) = error, isChained {
                throw StoreError(
                    .unsupportedFormat, "a frame has kind \(kind), which this release does not know; use a newer one",
                    file: path, offset: end)
            }
            fault = isZero(from: end, count: FrameHeader.size) ? .zeros : error
            return nil
        }
    }

    /// True if the header at ``end`` is linked to the frame before it.
    private var isChained: Bool {
        FrameHeader.read(contents.bytes, at: end).map { $0.header.previous == lastChecksum } ?? false
    }

    /// Rejects the frame that the last ``next()`` returned. It counts as the first invalid frame, for `reason`.
    mutating func rejectLast(_ reason: String) {
        guard let beforeLast else { return }
        (end, lastChecksum, lastKind, syncedMark) = beforeLast
        self.beforeLast = nil
        fault = .rejected(reason)
    }

    /// Returns true if all bytes of a range are zero. Bytes after the end of the file count as zero.
    func isZero(from offset: Int, count: Int = .max) -> Bool {
        guard offset < contents.bytes.count else { return true }
        let stop = count < contents.bytes.count - offset ? offset + count : contents.bytes.count
        return contents.bytes.isZero(offset..<stop)
    }
}
