/// The contents of a disk as a value: directories, names and bytes. A ``SimulatedFileSystem`` can start from it.
public struct DiskImage: Sendable, Hashable {
    /// The file or directory under a name. Names of the same file share its bytes.
    indirect enum Node: Sendable, Hashable {
        case file(FileImage)
        case directory([String: Node])
    }

    /// The entries of the root directory.
    var root: [String: Node]

    /// An empty disk.
    public init() { root = [:] }

    init(root: [String: Node]) { self.root = root }

    /// The bytes of every file, by its path from the root.
    public var files: [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        Self.visit(root, "") { path, image in files[path] = image.allBytes }
        return files
    }

    /// The number of names of files.
    public var fileCount: Int {
        var count = 0
        Self.visit(root, "") { _, _ in count += 1 }
        return count
    }

    private static func visit(_ entries: [String: Node], _ parent: String, _ body: (String, FileImage) -> Void) {
        for (name, node) in entries {
            switch node {
            case .file(let image): body(parent + "/" + name, image)
            case .directory(let entries): visit(entries, parent + "/" + name, body)
            }
        }
    }
}
