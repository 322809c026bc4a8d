import Siltstone

extension Command {
    static let compact = Command(
        name: "compact", operands: "STORE", summary: "rewrite a store without what is overwritten or deleted",
        discussion: """
            Merges all of the store, or the keys of a range, so that every key is there once and
            deleted ones take no space. A store does this by itself while it is in use; after a
            large load, or before a backup, one may want it now. It takes about as much free
            space as what is merged.
            """,
        options: [.from, .to, .prefix, .keyHex, .keyBase64, .json, .quiet],
        examples: ["silt compact people.silt", "silt compact --prefix session: people.silt"],
        run: Compact.run)
}

/// The report of `compact`.
private struct CompactReport: Encodable {
    var bytesBefore: Int
    var bytesAfter: Int
    var seconds: Double
}

private enum Compact {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let range = try KeyRange(invocation)
        let started = System.seconds
        let (before, after) = try invocation.writing { store in
            let before = store.statistics.diskBytes
            try store.compact(from: range.from, to: range.to)
            return (before, store.statistics.diskBytes)
        }
        let report = CompactReport(bytesBefore: before, bytesAfter: after, seconds: System.seconds - started)
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else if !invocation.has(.quiet) {
            let seconds = HumanUnits.duration(report.seconds)
            try Terminal.print("compacted \(HumanUnits.bytes(before)) to \(HumanUnits.bytes(after)) in \(seconds)\n")
        }
        return .success
    }
}
