/// Random access to a file through a buffer, for salvage and verification. For one thread at a time.
///
/// Throws I/O errors instead of reporting damage, because they may be temporary, and salvage would drop records whose
/// bytes are intact.
final class FileWindow {
    /// Each read loads at least this many bytes, or the rest of the window. Salvage and verification read mostly
    /// onward, so large reads save calls; they cost memory for the buffer. The exact value was not measured.
    private static let minReadBytes = 1 << 20

    private let file: any File
    /// The number of bytes that the window may read, from the start of the file.
    let size: Int
    /// The file offset of ``buffer``.
    private var start = 0
    /// The bytes that were read last.
    private var buffer = HeapBytes(count: 0)

    /// Creates a window over the first `size` bytes of a file.
    init(_ file: any File, size: Int) {
        self.file = file
        self.size = size
    }

    /// Returns a part of the file, valid until the next call; nil if it is not completely within the first ``size``
    /// bytes.
    /// - Throws: ``StoreError`` if the file cannot be read, or is shorter than ``size`` by now
    ///   (``StoreError/Code/corrupt``).
    func bytes(at offset: Int, count: Int) throws(StoreError) -> Bytes? {
        guard offset >= 0, count >= 0, count <= size - offset else { return nil }
        if let part = buffer.bytes.slice(offset - start, count) { return part }
        let wanted = min(max(Self.minReadBytes, count), size - offset)
        let loaded = try HeapBytes.read(file, offset: offset, count: wanted)
        start = offset
        buffer = loaded
        return buffer.bytes.slice(0, count)
    }
}
