extension Goal {
    /// All goals, for a million keys of 16 bytes with values of 100, compression off.
    static let all: [Goal] =
        writes + reads + scans + [
            Goal("readwhilewriting, reads, LMDB's", .ratioTo(.lmdb, "readwhilewriting.reader"), 1.5),
            Goal("readwhilewriting, writes, LevelDB's", .ratioTo(.leveldb, "readwhilewriting.writer"), 3),
            Goal("compact", .ratio("compact"), 2),
            Goal("open", .time("open:compacted"), 1),
            Goal("recover", .ratio("recover"), 5),
        ] + mixes + transactions + tables + adapters + larger + costs

    private static let writes = [
        Goal("fillseq", .ratio("fillseq"), 5),
        Goal("fillrandom", .ratio("fillrandom"), 5),
        Goal("overwrite", .ratio("overwrite"), 5),
        Goal("fillbatch", .ratio("fillbatch"), 5),
        Goal("deleterandom", .ratio("deleterandom"), 5),
        Goal("fillseq, 20 times the keys", .ratio("growth/fillseq"), 2.5),
        Goal("fillrandom, 20 times the keys", .ratio("growth/fillrandom"), 2.5),
        Goal("overwrite, 20 times the keys", .ratio("growth/overwrite"), 2.5),
        Goal("fillbatch, 20 times the keys", .ratio("growth/fillbatch"), 2.5),
        Goal("deleterandom, 20 times the keys", .ratio("growth/deleterandom"), 2.5),
        Goal("fillsync", .ratio("fillsync"), 1.4),
        Goal("fillsync, share of fdatasync", .share("fillsync", of: .syncedReserved), 0.9),
        Goal("fillsync, 8 threads", .ratio("fillsync@8"), 2),
        Goal("fill100K", .ratio("fill100K"), 1.2),
    ]

    private static let reads = [
        Goal("readrandom after fill", .ratio("readrandom"), 2.5),
        Goal("readrandom compacted", .ratio("readrandom:compacted"), 4),
        Goal("readmissing after fill", .ratio("readmissing"), 4),
        Goal("readmissing compacted", .ratio("readmissing:compacted"), 3),
        Goal("readrandom, 2 threads", .ratio("readrandom@2"), 3),
        Goal("readrandom, 2 threads, compacted", .ratio("readrandom@2:compacted"), 3),
    ]

    private static let scans = [
        Goal("readseq after fillseq", .ratio("readseq:afterfillseq"), 2),
        Goal("readseq after fill", .ratio("readseq"), 1.5),
        Goal("readseq compacted", .ratio("readseq:compacted"), 3),
        Goal("readreverse after fill", .ratio("readreverse"), 1.5),
        Goal("seekrandom after fill", .ratio("seekrandom"), 1),
        Goal("seekrandom compacted", .ratio("seekrandom:compacted"), 2),
    ]

    private static let mixes =
        [Goal("YCSB load", .ratio("ycsb-load"), 3)]
        + [("a", 3), ("b", 1.5), ("c", 1.5), ("d", 1.5), ("e", 1.2), ("f", 3)].flatMap { name, wanted in
            [
                Goal("YCSB \(name.uppercased())", .ratio("ycsb-\(name)"), wanted),
                Goal("YCSB \(name.uppercased()), 2 threads", .ratio("ycsb-\(name)@2"), wanted),
            ]
        }

    private static let larger = [
        Goal(
            "larger than memory, readrandom, share of the device", .share(limited("readrandom"), of: .deviceRead), 0.8),
        Goal(
            "larger than memory, readrandom, 16 threads, share of the device",
            .share(limited("readrandom@16"), of: .deviceReads16), 0.6),
        Goal("larger than memory, readmissing, RocksDB's", .ratioTo(.rocksdb, limited("readmissing")), 2),
        Goal("larger than memory, seekrandom, RocksDB's", .ratioTo(.rocksdb, limited("seekrandom")), 2),
        Goal("larger than memory, readseq", .ratio(limited("readseq")), 1),
        Goal("larger than memory, fillseq", .ratio(limited("fillseq")), 1),
        Goal("larger than memory, fillrandom", .ratio(limited("fillrandom")), 1),
    ]

    private static func limited(_ workload: String) -> String { "\(Section.limitedName)/\(workload)" }

    private static let transactions = ["transfer", "transfer-synced"].flatMap { section in
        let name = section == "transfer" ? "transfer" : "transfer, synced"
        return [
            Goal(name, .ratio("\(section)/transfer"), 2.5),
            Goal("\(name), 2 threads", .ratio("\(section)/transfer@2"), 2.5),
            Goal(
                "\(name), 100 accounts, 8 threads, of 1",
                .kept("\(section)/transfer100@8", of: "\(section)/transfer100"), 0.5),
            Goal("\(name), 100 accounts, slowest of 8 threads", .slowestThread("\(section)/transfer100@8"), 0.5),
        ]
    }

    /// Beside SQLite's C API.
    private static let tables =
        [
            ("insert, 10,000 rows a transaction", TableWorkload.insert, 2.0),
            ("the same with two indexes", .insertIndexed, 2),
            ("select by key, a chain", .key, 1.2), ("find", .find, 2), ("missing key", .missing, 3),
            ("index range of 100 rows", .range, 1), ("the same, counted", .rangeCount, 2),
            ("filter over all rows, 1 % remain", .filter, 2),
            ("all rows, Codable", .rows, 0.8), ("all rows, RowDecodable", .rowsFast, 1.3),
            ("order, limit 10", .order, 1.5), ("the same with an index", .orderIndexed, 1.2),
            ("join, 1,000 parents", .join, 1), ("join, all parents, no index", .joinUnindexed, 1),
            ("update by key, an index", .update, 1.5), ("delete by a range of the index", .delete, 1.5),
            ("transaction, two reads and two writes", .transfer, 2),
        ].map { Goal("tables, \($0)", .ratioTo(.sqlite, table($1)), $2) } + [
            Goal("tables, insert one row, synced", .ratioTo(.sqlite, "tables-synced/insert"), 1.2),
            Goal("tables, insert one row, synced, 8 tasks", .ratioTo(.sqlite, "tables-synced/insert@8"), 4),
            Goal("tables, from commit to observed value", .time(table(.observe)), 1),
            Goal("tables, open 100, above the store's", .above(table(.open), table(.openStore)), 1),
        ]

    /// An adapter costs at most 15 % of what a program reaches with the library below it.
    private static let adapters = [EngineKind.postgres, .mariadb].flatMap { engine in
        [("select by key", AdapterWorkload.key), ("insert, 1,000 rows", .batch)].map { title, workload in
            Goal(
                "\(engine.title), \(title), share of \(engine.plainClient?.title ?? "")",
                .besidePlain(engine, "servers-adapters/\(workload.rawValue)"), 0.85)
        }
    }

    private static func table(_ workload: TableWorkload) -> String { "tables/\(workload.rawValue)" }

    private static let costs =
        [
            Goal("fillrandom, 99.9th percentile", .tail("fillrandom"), 1),
            Goal(
                "longest call of the fills",
                .longestCall([
                    "fillseq", "fillrandom", "overwrite", "deleterandom", "fillbatch", "fill100K", "ycsb-load",
                ]), 50),
            Goal("disk after fillrandom / live bytes", .space("fillrandom"), 1.15),
            Goal("disk after overwrite and compaction / live bytes", .space("compact"), 1.15),
            Goal("peak of anonymous memory / 128 MiB", .memory, 1),
        ]
        + ["fillrandom", "readrandom", "readmissing", "readseq", "seekrandom"].map {
            Goal("growth to 20 times the keys, \($0)", .growth($0), 1)
        }

    private init(_ title: String, _ measure: Measure, _ wanted: Double) {
        self.init(title: title, measure: measure, wanted: wanted)
    }
}
