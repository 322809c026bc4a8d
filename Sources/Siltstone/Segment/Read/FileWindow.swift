/// A moving window over a file, for salvage and verification.
///
/// Throws I/O errors instead of treating them as damage. The error may be temporary, and salvage would otherwise drop
/// records whose bytes are all intact.
final class FileWindow {
    private static let chunk = 1 << 20

    private let file: any File
    /// Bytes of the file.
    let size: Int
    private var start = 0
    private var chunk = HeapBytes(count: 0)

    init(_ file: any File, size: Int) {
        self.file = file
        self.size = size
    }

    /// A part of the file, valid until the next call. Returns nil if it is not completely within the file.
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
