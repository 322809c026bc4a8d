/// The text of `--help`.
enum Usage {
    static var text: String {
        let width = Workload.allCases.map(\.rawValue.count).max() ?? 0
        let workloads = Workload.allCases.map { workload in
            "  \(workload.rawValue.padded(to: width))  \(workload.summary)"
        }
        let sets = SectionSet.allCases.map { "  \($0.rawValue.padded(to: width))  \($0.summary)" }
        let missing = EngineKind.named.filter { !EngineKind.available.contains($0) }
        return """
            usage: silt-bench [options]

            Runs the same workloads on Siltstone and on other embedded engines and on servers, and compares.

              --engines LIST      \(EngineKind.available.map(\.rawValue).joined(separator: ",")) (the default: all of them)
              --set NAME          which sections to run, of the list below; standard
              --sections LIST     of these, only main, values, values-1K, keys, transfer, crud, transformers, tables, servers, defaults, growth, …
              --workloads LIST    instead of a set: names of the list below, in this order; NAME@T runs on T threads
              --num N             keys; 1000000. Several, with --workloads: each in turn, plotted as growth
              --value-size BYTES  16 to 1048576; 100
              --keys SHAPE        with --workloads: \(KeySpace.allCases.map(\.rawValue).joined(separator: ", ")); decimal
              --defaults          with --workloads: each engine compresses as it does by default, not never
              --lmdb-writemap     with --workloads: LMDB writes through its mapping (MDB_WRITEMAP)
              --threads T         for workloads that do not say; 1
              --repeat R          rounds; the median counts; 3
              --prewarm-mb MB     memory touched before each workload that writes, at least; 1024. Six times what is written,
                                  up to 4 GiB, where that is more; 0: none
              --dir PATH          where databases are made, on the disk to be measured; the temporary directory
              --embedded          what it costs a program to have Siltstone in it, instead of the sections
              --from FILES        reports results written by --json, of one run or several, instead of measuring
              --json FILE         writes all measurements
              --html FILE         writes a page with plots
              --markdown FILE     writes the tables, and refers to the plots
              --plots DIR         writes each plot as SVG
              --help

            Workloads, N being --num. Those that need a filled database make one where there is none; reads say whether
            they run after `fillseq` or after `compact`.

            \(workloads.joined(separator: "\n"))

            Sets:

            \(sets.joined(separator: "\n"))

            Exit status: 0 done, 1 an engine failed or read something wrong, 2 the command line, or a
            file, is not as it should be.

            Example: silt-bench --engines siltstone,lmdb --workloads fillrandom,readrandom,readseq --html out.html
            \(missing.isEmpty ? "" : "\nBuilt without \(missing.map(\.title).joined(separator: ", ")): see Benchmarks/README.md.\n")
            """
    }
}
