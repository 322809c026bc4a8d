/// Random access to a file through a buffer, for salvage and verification.
///
/// Throws I/O errors instead of treating them as damage. An error may be temporary, and salvage would otherwise drop
/// records whose bytes are all intact.
final class FileWindow {
    /// Smallest number of bytes that are read at once.
    private static let chunk = 1 << 20

    private let file: any File
    /// Bytes of the file.
    let size: Int
    /// Offset of ``chunk`` in the file.
    private var start = 0
    /// The bytes that were read last.
    private var chunk = HeapBytes(count: 0)

    /// Creates a window over the first `size` bytes of a file.
    init(_ file: any File, size: Int) {
        self.file = file
        self.size = size
    }

    /// Returns a part of the file, valid until the next call; nil if the part is not completely within the file.
    /// - Throws: ``StoreError`` if the file cannot be read.
    func bytes(at offset: Int, count: Int) throws(StoreError) -> Bytes? {
        guard offset >= 0, count >= 0, count <= size - offset else { return nil }
        if let part = chunk.bytes.slice(offset - start, count) { return part }
        let wanted = min(max(Self.chunk, count), size - offset)
        let loaded = try HeapBytes.read(file, offset: offset, count: wanted)
        start = offset
        chunk = loaded
        return chunk.bytes.slice(0, count)
    }
}
