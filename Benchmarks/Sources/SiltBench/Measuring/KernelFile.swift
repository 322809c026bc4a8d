import Foundation

/// Files in which the kernel tells of the machine and its processes.
enum KernelFile {
    /// The text of a file under `/proc`, to its end; nil where it cannot be read.
    ///
    /// Foundation reads a file that claims to be empty only as far as one page.
    static func contents(_ path: String) -> String? {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while true {
            let count = read(file, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += chunk[..<count]
        }
    }
}
