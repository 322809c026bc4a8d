/// Reads the frames of a log or a manifest, from the first up to the last valid one.
///
/// What stands behind the first frame that is not valid is never handed out, however whole it looks: it belongs to a
/// history that has lost a part. ``tail()`` tells what the place means.
struct FrameReader {
    let path: String
    /// The checked file header.
    let header: FileHeader
    /// Keeps the payloads that were handed out.
    let contents: FileContents
    /// Where the last frame that was read ends.
    private(set) var end = FileHeader.size
    /// The checksum of the last frame that was read, or of the header where there was none.
    private(set) var lastChecksum: UInt32
    /// The kind of the last frame that was read.
    private(set) var lastKind: FrameKind?
    /// The greatest synced mark of the frames that were read, in bytes.
    private(set) var syncedMark = 0
    /// Why there is no further frame; set once there is none.
    private(set) var fault: FrameFault?
    private var beforeLast: (end: Int, checksum: UInt32, kind: FrameKind?, mark: Int)?
    let fileChecksum: UInt32

    /// Opens a file and checks its header.
    /// - Parameters:
    ///   - store: the store that the file must belong to, where that is known.
    ///   - mapped: whether to map the file rather than read it.
    /// - Throws: ``StoreError/Code/corrupt`` or ``StoreError/Code/unsupportedFormat`` for the header.
    init(
        _ fileSystem: any FileSystem, path: String, kind: FileHeader.Kind, store: StoreIdentity?, number: UInt64,
        mapped: Bool = true
    ) throws(StoreError) {
        let contents = try storeErrors { () throws(FileSystemError) in
            let file = try retryingInterrupted { () throws(FileSystemError) in try fileSystem.open(path, .read) }
            return try FileContents(file, mapped: mapped)
        }
        let header = try FileHeader(contents.bytes, kind: kind, store: store, number: number, path: path)
        self.init(contents, header: header, path: path)
    }

    init(_ contents: FileContents, header: FileHeader, path: String) {
        self.path = path
        self.header = header
        self.contents = contents
        fileChecksum = header.checksum
        lastChecksum = fileChecksum
    }

    /// The next frame; nil behind the last valid one.
    /// - Throws: ``StoreError/Code/unsupportedFormat`` for a frame that is valid but for its unknown kind.
    /// - Complexity: O(*n*) in the bytes of the frame.
    mutating func next() throws(StoreError) -> Frame? {
        if fault != nil { return nil }
        do throws(FrameFault) {
            let frame = try Frame(contents.bytes, at: end, file: fileChecksum)
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

    /// Whether what stands at ``end`` is linked to the frame before.
    private var isChained: Bool {
        FrameHeader.read(contents.bytes, at: end).map { $0.header.previous == lastChecksum } ?? false
    }

    /// Takes back the frame that ``next()`` gave last, which the caller cannot accept: it counts as not valid, and
    /// the frames end before it.
    mutating func rejectLast(_ reason: String) {
        guard let beforeLast else { return }
        (end, lastChecksum, lastKind, syncedMark) = beforeLast
        self.beforeLast = nil
        fault = .rejected(reason)
    }

    /// Whether a stretch of the file, as far as there is one, is zero.
    func isZero(from offset: Int, count: Int = .max) -> Bool {
        guard offset < contents.bytes.count else { return true }
        let stop = count < contents.bytes.count - offset ? offset + count : contents.bytes.count
        return contents.bytes.isZero(offset..<stop)
    }
}
