import Siltstone

extension Command {
    static let checkpoint = Command(
        name: "checkpoint", operands: "STORE DESTINATION", summary: "make a copy that can be opened",
        discussion: """
            Makes a store at DESTINATION, which must not exist, with everything that STORE holds.
            DESTINATION must be on the same file system: segments never change, so the two share
            them as hard links, and the copy takes a moment and hardly any space. To keep a copy
            apart from the disk it was made on, copy the destination's files away.
            """,
        options: [.json, .quiet],
        examples: ["silt checkpoint people.silt backup.silt"],
        run: Checkpoint.run)
}

/// The report of `checkpoint`.
private struct CheckpointReport: Encodable {
    var destination: String
    var seconds: Double
}

private enum Checkpoint {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let destination = invocation.operand(1) ?? ""
        let started = System.seconds
        try invocation.writing { try $0.checkpoint(to: destination) }
        let report = CheckpointReport(destination: destination, seconds: System.seconds - started)
        if invocation.has(.json) {
            try JSONReport.print(report)
        } else if !invocation.has(.quiet) {
            try Terminal.print("made \(destination) in \(HumanUnits.duration(report.seconds))\n")
        }
        return .success
    }
}
