/// The text of `--help`.
enum Usage {
    static var text: String {
        let width = Workload.allCases.map(\.rawValue.count).max() ?? 0
        let workloads = Workload.allCases.map { workload in
            "  \(workload.rawValue.padded(to: width))  \(workload.summary)"
        }
        let missing = EngineKind.allCases.filter { !EngineKind.available.contains($0) }
        return """
            usage: silt-bench [options]

            Runs the same workloads on Siltstone and on other embedded engines, and compares.

              --engines LIST      \(EngineKind.available.map(\.rawValue).joined(separator: ",")) (the default: all of them)
              --workloads LIST    names of the list below, in this order; NAME@T runs on T threads
              --num N             keys; 1000000
              --value-size BYTES  16 to 1048576; 100
              --threads T         for workloads that do not say; 1
              --repeat R          rounds; the median counts; 3
              --prewarm-mb MB     memory touched before each workload that writes; 1024
              --dir PATH          where databases are made, on the disk to be measured; the temporary directory
              --json FILE         writes all measurements
              --html FILE         writes a page with plots
              --help

            Workloads, N being --num. Those that need a filled database make one where there is none; after `compact`,
            reads run on the compacted database.

            \(workloads.joined(separator: "\n"))

            The default: \(WorkloadRun.defaultList)

            Exit status: 0 done, 1 an engine failed or read something wrong, 2 usage.

            Example: silt-bench --engines siltstone,lmdb --workloads fillrandom,readrandom,readseq --html out.html
            \(missing.isEmpty ? "" : "\nBuilt without \(missing.map(\.title).joined(separator: ", ")): see Benchmarks/README.md.\n")
            """
    }
}
