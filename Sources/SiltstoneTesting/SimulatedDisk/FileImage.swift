import Foundation
import Siltstone

/// The bytes of a file at one moment. Trailing zeros, which reserved space mostly is, take no memory.
final class FileImage: Sendable, Hashable {
    /// The bytes without most trailing zeros.
    let bytes: [UInt8]
    /// The length of the file in bytes.
    let size: Int

    /// A file of zeros.
    init(zeros size: Int = 0) {
        bytes = []
        self.size = size
    }

    /// A file with these bytes, cut or padded with zeros to `size`.
    init(_ bytes: [UInt8], size: Int) {
        self.bytes = bytes.count > size ? Array(bytes[..<size]) : bytes
        self.size = size
    }

    /// Copies bytes in memory.
    init(copying memory: UnsafeRawBufferPointer) {
        size = memory.count
        bytes = unsafe Array(memory[..<Self.end(of: memory)])
    }

    /// The start of the trailing zeros of `memory`, up to a few sectors.
    ///
    /// A binary search. A loop over bytes would cost more than all other work with an image.
    private static func end(of memory: UnsafeRawBufferPointer) -> Int {
        var (low, high) = (0, memory.count)
        while high - low > 4 * DiskSector.size {
            let middle = (low + high) / 2
            if unsafe memory.isZero(middle..<high) { high = middle } else { low = middle }
        }
        return high
    }

    /// All bytes, including trailing zeros.
    var allBytes: [UInt8] { bytes + [UInt8](repeating: 0, count: size - bytes.count) }

    static func == (a: FileImage, b: FileImage) -> Bool {
        // The arrays are not compared: equal files may be cut at different places.
        if a === b { return true }
        return a.size == b.size && a.differingSectors(from: b).isEmpty
    }

    func hash(into hasher: inout Hasher) {
        // Up to the last non-zero byte, wherever the zeros were cut.
        hasher.combine(size)
        unsafe bytes.withUnsafeBytes { all in
            var end = all.count
            while end > 0, unsafe all[end - 1] == 0 { end -= 1 }
            unsafe hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: all[..<end]))
        }
    }
}

/// The unit in which a disk writes, loses or tears data.
enum DiskSector {
    /// In bytes.
    static let size = 512

    /// The byte range of a sector in a file of `size` bytes.
    static func range(_ sector: Int, size: Int) -> Range<Int> {
        let start = min(sector * Self.size, size)
        return start..<min(start + Self.size, size)
    }
}

extension FileImage {
    /// The bytes of one sector, padded with zeros.
    func sector(_ number: Int) -> [UInt8] {
        let range = DiskSector.range(number, size: bytes.count)
        return bytes[range] + [UInt8](repeating: 0, count: DiskSector.size - range.count)
    }

    /// The sectors in which two files differ, ascending, up to the end of the longer one.
    func differingSectors(from other: FileImage) -> [Int] {
        var sectors: [Int] = []
        let (short, long) = bytes.count < other.bytes.count ? (self, other) : (other, self)
        unsafe short.bytes.withUnsafeBytes { a in
            unsafe long.bytes.withUnsafeBytes { b in
                unsafe Self.compare(a, UnsafeRawBufferPointer(rebasing: b[..<a.count]), 0, &sectors)
                var position = a.count
                while position < b.count {
                    let sector = position / DiskSector.size
                    let end = min((sector + 1) * DiskSector.size, b.count)
                    if sectors.last != sector, unsafe !b.isZero(position..<end) { sectors.append(sector) }
                    position = end
                }
            }
        }
        return sectors
    }

    /// Halves the range until the difference is one sector.
    private static func compare(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ start: Int, _ sectors: inout [Int]
    ) {
        guard let first = a.baseAddress, let second = b.baseAddress, unsafe memcmp(first, second, a.count) != 0 else {
            return
        }
        if a.count <= DiskSector.size { return sectors.append(start / DiskSector.size) }
        let half = (a.count / DiskSector.size + 1) / 2 * DiskSector.size
        for range in [0..<half, half..<a.count] {
            unsafe compare(
                UnsafeRawBufferPointer(rebasing: a[range]), UnsafeRawBufferPointer(rebasing: b[range]),
                start + range.lowerBound, &sectors)
        }
    }
}
