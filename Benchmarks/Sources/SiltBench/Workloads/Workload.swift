/// What is measured: the workloads of LevelDB's db_bench and of YCSB, under their names there.
enum Workload: String, CaseIterable, Codable, Sendable {
    case fillseq, fillbatch, fill100K, fillsync
    case fillrandom, overwrite
    case readrandom, readmissing, readhot, readseq, readreverse, seekrandom, readwhilewriting
    case readatonce, seekatonce, bursts, sessions
    case compact, open, deleterandom, scandeleted, queue, recover
    case transfer, transfer100
    case ycsbLoad = "ycsb-load"
    case ycsbA = "ycsb-a"
    case ycsbB = "ycsb-b"
    case ycsbC = "ycsb-c"
    case ycsbD = "ycsb-d"
    case ycsbE = "ycsb-e"
    case ycsbF = "ycsb-f"

    /// Which database a workload needs.
    enum Ground { case empty, filled, records }

    /// The database that it starts from. Where there is none such, one is made, unmeasured.
    var ground: Ground {
        switch self {
        case .fillseq, .fillbatch, .fill100K, .fillsync, .fillrandom, .queue, .recover, .ycsbLoad, .readatonce,
            .seekatonce, .transfer, .transfer100:
            .empty
        case .overwrite, .readrandom, .readmissing, .readhot, .readseq, .readreverse, .seekrandom, .readwhilewriting,
            .compact, .open, .deleterandom, .scandeleted, .bursts, .sessions:
            .filled
        case .ycsbA, .ycsbB, .ycsbC, .ycsbD, .ycsbE, .ycsbF: .records
        }
    }

    /// Whether it changes the database.
    var writes: Bool {
        switch self {
        case .readrandom, .readmissing, .readhot, .readseq, .readreverse, .seekrandom, .open, .scandeleted, .ycsbC,
            .readatonce, .seekatonce:
            false
        default: true
        }
    }

    /// Whether the engine may have work to do behind it.
    var leavesWork: Bool { writes || self == .readatonce || self == .seekatonce }

    /// Whether what it should read is told by the order of keys, which is that of their numbers but for hashed ones.
    var needsOrder: Bool {
        switch self {
        case .seekrandom, .seekatonce, .scandeleted, .queue, .bursts, .sessions: true
        default: false
        }
    }

    /// Whether everything is looked at once before it.
    var isPreloaded: Bool {
        switch self {
        case .readrandom, .readmissing, .readhot, .readseq, .readreverse, .seekrandom, .ycsbC: true
        default: false
        }
    }

    /// Whether more than one thread makes sense.
    var takesThreads: Bool {
        switch self {
        case .readseq, .readreverse, .readwhilewriting, .compact, .open, .recover, .fillbatch, .scandeleted, .queue,
            .readatonce, .seekatonce, .bursts, .sessions:
            false
        default: true
        }
    }

    /// Whether it moves amounts between accounts, in a database of its own.
    var isTransfer: Bool { self == .transfer || self == .transfer100 }

    /// Whether its result is a time, not a rate.
    var isTime: Bool { self == .compact || self == .open || self == .recover }

    /// One line for the help and the report.
    var summary: String {
        switch self {
        case .fillseq: "puts N keys in order"
        case .fillbatch: "puts N keys in random order, 1000 in a transaction; the latency is the transaction's"
        case .fill100K: "puts N/1000 values of 100,000 bytes in random order"
        case .fillsync: "puts N/125 keys in random order, each acknowledged by the disk (a thread: N/500)"
        case .fillrandom: "puts N keys in random order, each once"
        case .overwrite: "puts N keys drawn at random over existing ones"
        case .readrandom: "gets N keys drawn at random, as all reads 2 million at most"
        case .readmissing: "gets N keys that do not exist, within the range of those that do"
        case .readhot: "gets N keys drawn from one hundredth of them"
        case .readseq: "walks all entries"
        case .readreverse: "walks all entries from the end"
        case .seekrandom: "seeks N/4 keys drawn at random and reads on for 10 entries"
        case .readatonce: "gets N keys drawn at random, from the moment on when N keys were put in random order"
        case .seekatonce: "seeks N/4 keys drawn at random and reads on for 10 entries, from that moment on"
        case .bursts:
            "overwrites N/25 keys drawn at random, pauses for 0.2 s, seeks N/1000 and reads on for 10 entries; 20 times"
        case .sessions:
            "opens the closed database, gets N/1000 keys, seeks N/10,000, puts one and closes it; 50 times"
        case .readwhilewriting: "gets N keys drawn at random, for a second at least, while another thread overwrites"
        case .compact: "compacts everything; milliseconds"
        case .open: "opens the closed database and gets one key; milliseconds"
        case .deleterandom: "deletes N keys drawn at random"
        case .scandeleted:
            "reads the first 10 entries, for a quarter of a second, after all but the last N/100 keys were deleted in order"
        case .queue:
            "puts a key at one end, scans for the first at the other and deletes it; N/100 times, 3 steps in one"
        case .recover:
            "opens a database whose process was killed with up to 64 MiB in its log, gets one key; milliseconds"
        case .transfer:
            "moves amounts between N accounts: reads two, writes two, N/5 times (synced: as fillsync); not LevelDB"
        case .transfer100: "the same between 100 accounts"
        case .ycsbLoad: "YCSB: puts N/2 records of 1000 bytes under hashed keys"
        case .ycsbA: "YCSB A: 50 % read, 50 % update, zipfian; N/5 operations"
        case .ycsbB: "YCSB B: 95 % read, 5 % update, zipfian"
        case .ycsbC: "YCSB C: reads, zipfian"
        case .ycsbD: "YCSB D: 95 % read of the latest, 5 % insert"
        case .ycsbE: "YCSB E: 95 % scan of 1 to 100 entries, 5 % insert"
        case .ycsbF: "YCSB F: 50 % read, 50 % read-modify-write, zipfian"
        }
    }
}
