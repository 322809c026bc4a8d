/// A moving view of a file for salvage and verification.
///
/// A read that fails is thrown, not taken for damage: it may be a fault that passes, and records that were given up for it
/// would be gone though every byte of them is well.
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

    /// Part of the file, valid until the next call; nil where it is not all in the file.
    /// - Throws: ``StoreError`` where it cannot be read.
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
