/// A moving view of a file for salvage and verification: what cannot be read is missing, not an error, since the
/// rest of a damaged disk is worth having.
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

    /// Part of the file, valid until the next call; nil where it is not all in the file, or cannot be read.
    func bytes(at offset: Int, count: Int) -> Bytes? {
        guard offset >= 0, count >= 0, count <= size - offset else { return nil }
        if let part = chunk.bytes.slice(offset - start, count) { return part }
        let wanted = min(max(Self.chunk, count), size - offset)
        guard let loaded = load(offset, wanted) ?? load(offset, count) else { return nil }
        start = offset
        chunk = loaded
        return chunk.bytes.slice(0, count)
    }

    private func load(_ offset: Int, _ count: Int) -> HeapBytes? {
        do { return try HeapBytes.read(file, offset: offset, count: count) } catch { return nil }
    }
}
