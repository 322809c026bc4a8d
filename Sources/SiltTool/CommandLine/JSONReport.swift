#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Prints reports as JSON for `--json`.
enum JSONReport {
    /// Prints `value` to standard output, indented and sorted by name, so that reports compare line by line.
    static func print(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        let text = try encoder.encode(value)
        try unsafe text.withUnsafeBytes {
            try unsafe System.write(System.standardOutput, Bytes($0), name: "standard output")
        }
        try Terminal.print("\n")
    }
}
