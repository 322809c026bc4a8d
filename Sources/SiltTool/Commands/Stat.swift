import Siltstone

extension Command {
    static let stat = Command(
        name: "stat", operands: "STORE", summary: "show what a store holds, level by level",
        discussion: """
            Prints how much a store holds and where. Records and tombstones are counted as they
            lie in the files: a key that was written three times may count three times until its
            versions are compacted. A bar shows a level's share of the bytes in segments.

            Read amplification is the number of sorted runs that a scan has to merge; write
            amplification, how many bytes were written to disk for each byte given to the store;
            space amplification, how many bytes are on disk for each byte that is live.
            """,
        options: [.json],
        examples: ["silt stat people.silt", "silt stat --json people.silt"],
        run: Stat.run)
}

private enum Stat {
    static func run(_ invocation: Invocation) throws -> ExitCode {
        let statistics = try invocation.reading { $0.statistics }
        if invocation.has(.json) {
            try JSONReport.print(statistics)
        } else {
            let bar = Bar(width: 20, isUnicode: System.isUnicode)
            try Terminal.print(StatisticsText(statistics, path: invocation.path, bar: bar).text)
        }
        return .success
    }
}
