/// Several files in one input: for each a byte that is the length of its name, the name, four bytes that are its length,
/// and its bytes. What is cut off counts as far as it is there.
struct FileBundle {
    /// One file.
    struct File {
        var name: String
        var bytes: [UInt8]
    }

    var files: [File] = []

    init(_ files: [String: [UInt8]]) {
        self.files = files.sorted { $0.key < $1.key }.map { File(name: $0.key, bytes: $0.value) }
    }

    init(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while let count = rest.popFirst(), files.count < 32 {
            let name = String(decoding: rest.prefix(Int(count)), as: UTF8.self)
            rest = rest.dropFirst(Int(count))
            let length = Int(Seal.load(Array(rest.prefix(4)), 0, 4))
            rest = rest.dropFirst(4)
            files.append(File(name: name, bytes: Array(rest.prefix(length))))
            rest = rest.dropFirst(length)
        }
    }

    func encoded() -> [UInt8] {
        var result: [UInt8] = []
        for file in files {
            let name = Array(file.name.utf8.prefix(255))
            result.append(UInt8(name.count))
            result += name
            result += (0..<4).map { UInt8(truncatingIfNeeded: file.bytes.count >> (8 * $0)) }
            result += file.bytes
        }
        return result
    }

    /// The files by name, of those of one name the last.
    var byName: [String: [UInt8]] { Dictionary(files.map { ($0.name, $0.bytes) }) { $1 } }
}
