import Foundation
import Siltstone

/// A store to attack the tool on, with overlapping segments, value files, removed keys and changes in the log alone.
struct AttackedStore {
    let directory: TemporaryDirectory
    /// The store's directory.
    var path: String { directory.file("store") }
    /// What it holds.
    private(set) var content: [[UInt8]: [UInt8]] = [:]

    /// What the tool's default would keep in one memtable and one file takes many here.
    private static var configuration: Configuration {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 64 << 10
        configuration.segmentBytes = 64 << 10
        configuration.valueFileBytes = 64 << 10
        configuration.largeValueBytes = 2 << 10
        configuration.automaticCompaction = false
        return configuration
    }

    /// - Parameter changes: how many puts and deletes make it up.
    init(changes: Int) throws {
        directory = try TemporaryDirectory()
        let store = try KeyValueStore.open(at: path, configuration: Self.configuration)
        for number in 0..<changes {
            let key = Array("key\(number &* 7919 % (changes * 2 / 3))".utf8)
            if number % 11 == 0 {
                try store.delete(key)
                content[key] = nil
            } else {
                let count = number % 50 == 0 ? 4_000 : number % 90
                let value =
                    Array("\(number):".utf8) + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: count)
                try store.put(key, value)
                content[key] = value
            }
        }
        try store.close()
    }

    /// What a store holds, by a scan that changes nothing.
    static func content(of path: String) throws -> [[UInt8]: [UInt8]] {
        var configuration = configuration
        configuration.readOnly = true
        let store = try KeyValueStore.open(at: path, configuration: configuration)
        var content: [[UInt8]: [UInt8]] = [:]
        let cursor = try store.scan()
        while let entry = try cursor.next() { content[entry.key] = entry.value }
        try store.close()
        return content
    }

    /// A copy of the directory under another name.
    func copy(_ name: String) throws -> String {
        let copy = directory.file(name)
        if FileManager.default.fileExists(atPath: copy) { try FileManager.default.removeItem(atPath: copy) }
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        return copy
    }

    /// The files of a store with a suffix, the longest first.
    static func files(_ suffix: String, in path: String) throws -> [String] {
        func size(_ name: String) throws -> Int {
            try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.size] as? Int ?? 0
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }.sorted()
        return try names.map { (name: $0, size: try size($0)) }.sorted { $0.size > $1.size }.map(\.name)
    }

    /// Spoils some bytes in the middle of a file.
    static func damage(_ name: String, in path: String) throws {
        let url = URL(fileURLWithPath: path + "/" + name)
        var bytes = try Data(contentsOf: url)
        for offset in bytes.count / 2..<bytes.count / 2 + 8 { bytes[offset] ^= 0xff }
        try bytes.write(to: url)
    }
}
