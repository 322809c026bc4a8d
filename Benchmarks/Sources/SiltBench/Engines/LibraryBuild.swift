import Foundation

/// Which build of an engine's library takes part: one with assertions is slower than what one would ship.
struct LibraryBuild: CustomStringConvertible {
    /// The library's file, links followed; nil where that is not known.
    var path: String?
    /// nil where that is not known.
    var hasAssertions: Bool?

    init(path: String?, hasAssertions: Bool?) {
        self.path = path
        self.hasAssertions = hasAssertions
    }

    /// - Parameter function: one that the library exports.
    init(function: String, hasAssertions: Bool?) {
        self.init(path: Self.file(of: function), hasAssertions: hasAssertions)
    }

    /// Looks the text of an assertion up in the library's file: compiled without assertions, it is not there.
    init(function: String, assertion: String) {
        path = Self.file(of: function)
        hasAssertions = path.flatMap { FileManager.default.contents(atPath: $0) }
            .map { $0.range(of: Data(assertion.utf8)) != nil }
    }

    /// The file that a function was loaded from: whose mapping holds its address.
    private static func file(of function: String) -> String? {
        guard let program = dlopen(nil, RTLD_NOW), let symbol = dlsym(program, function),
            let maps = KernelFile.contents("/proc/self/maps")
        else { return nil }
        let address = UInt(bitPattern: symbol)
        for line in maps.split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let bounds = fields[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, fields.count > 5, (bounds[0]..<bounds[1]).contains(address) else { continue }
            return String(fields[5])
        }
        return nil
    }

    /// The commit that this checkout is at, with a mark where files were changed since; nil where git does not tell.
    static var commit: String? {
        let git = Process()
        git.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path
        git.arguments = ["git", "-C", source, "describe", "--always", "--dirty"]
        let output = Pipe()
        git.standardOutput = output
        git.standardError = FileHandle.nullDevice
        do { try git.run() } catch { return nil }
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        git.waitUntilExit()
        let name = text.trimmingCharacters(in: .whitespacesAndNewlines)
        return git.terminationStatus == 0 && !name.isEmpty ? name : nil
    }

    var description: String {
        let kind =
            switch hasAssertions {
            case true: "assertions on"
            case false: "no assertions"
            case nil: "build unknown"
            }
        return "\(path ?? "library not found"), \(kind)"
    }
}
