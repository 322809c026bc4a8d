import Foundation
import Siltstone

/// The bytes of a file at one moment. Files that are mostly reserved space are mostly zeros, which take no memory.
final class FileImage: Sendable, Hashable {
    /// The bytes up to the last sector that is not all zeros, or to the end of the file.
    let bytes: [UInt8]
    /// Length of the file in bytes.
    let size: Int

    /// A file of zeros.
    init(zeros size: Int = 0) {
        bytes = []
        self.size = size
    }

    /// A file of given bytes, which are cut or continued with zeros.
    init(_ bytes: [UInt8], size: Int) {
        self.bytes = bytes.count > size ? Array(bytes[..<size]) : bytes
        self.size = size
    }

    /// A copy of bytes in memory.
    init(copying memory: UnsafeRawBufferPointer) {
        size = memory.count
        bytes = Array(memory[..<Self.end(of: memory)])
    }

    /// Where the zeros at the end of `memory` begin, up to a few sectors.
    ///
    /// By halving what is left: a loop over bytes costs more than everything else that is done with an image.
    private static func end(of memory: UnsafeRawBufferPointer) -> Int {
        var (low, high) = (0, memory.count)
        while high - low > 4 * DiskSector.size {
            let middle = (low + high) / 2
            if memory.isZero(middle..<high) { high = middle } else { low = middle }
        }
        return high
    }

    /// All bytes, the zeros at the end included.
    var allBytes: [UInt8] { bytes + [UInt8](repeating: 0, count: size - bytes.count) }

    static func == (a: FileImage, b: FileImage) -> Bool {
        // Not their arrays: the same file may have been cut at different places.
        if a === b { return true }
        return a.size == b.size && a.differingSectors(from: b).isEmpty
    }

    func hash(into hasher: inout Hasher) {
        // Up to the last byte that counts, wherever the zeros were cut.
        hasher.combine(size)
        bytes.withUnsafeBytes { all in
            var end = all.count
            while end > 0, all[end - 1] == 0 { end -= 1 }
            hasher.combine(bytes: UnsafeRawBufferPointer(rebasing: all[..<end]))
        }
    }
}

/// What a disk writes as a whole, or not at all, or tears.
enum DiskSector {
    /// In bytes.
    static let size = 512

    /// The bytes of a sector of a file of `size` bytes.
    static func range(_ sector: Int, size: Int) -> Range<Int> {
        let start = min(sector * Self.size, size)
        return start..<min(start + Self.size, size)
    }
}

extension FileImage {
    /// The bytes of one sector, with zeros where the file has none.
    func sector(_ number: Int) -> [UInt8] {
        let range = DiskSector.range(number, size: bytes.count)
        return bytes[range] + [UInt8](repeating: 0, count: DiskSector.size - range.count)
    }

    /// The sectors in which two files differ, ascending, as far as the longer one goes.
    func differingSectors(from other: FileImage) -> [Int] {
        var sectors: [Int] = []
        let (short, long) = bytes.count < other.bytes.count ? (self, other) : (other, self)
        short.bytes.withUnsafeBytes { a in
            long.bytes.withUnsafeBytes { b in
                Self.compare(a, UnsafeRawBufferPointer(rebasing: b[..<a.count]), 0, &sectors)
                var position = a.count
                while position < b.count {
                    let sector = position / DiskSector.size
                    let end = min((sector + 1) * DiskSector.size, b.count)
                    if sectors.last != sector, !b.isZero(position..<end) { sectors.append(sector) }
                    position = end
                }
            }
        }
        return sectors
    }

    /// Halves the range until what differs is one sector.
    private static func compare(
        _ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, _ start: Int, _ sectors: inout [Int]
    ) {
        guard let first = a.baseAddress, let second = b.baseAddress, memcmp(first, second, a.count) != 0 else { return }
        if a.count <= DiskSector.size { return sectors.append(start / DiskSector.size) }
        let half = (a.count / DiskSector.size + 1) / 2 * DiskSector.size
        for range in [0..<half, half..<a.count] {
            compare(
                UnsafeRawBufferPointer(rebasing: a[range]), UnsafeRawBufferPointer(rebasing: b[range]),
                start + range.lowerBound, &sectors)
        }
    }
}
