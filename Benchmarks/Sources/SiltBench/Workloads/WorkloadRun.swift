/// A workload and the number of threads it runs on: `readrandom@2`.
struct WorkloadRun: Codable, Sendable {
    var workload: Workload
    var threads: Int

    /// As on the command line.
    var name: String { threads == 1 ? workload.rawValue : "\(workload.rawValue)@\(threads)" }

    /// - Parameters:
    ///   - text: a workload's name, `@` and a number of threads if it is not to be the default.
    ///   - threads: the default.
    /// - Throws: ``BenchmarkError`` where there is no such workload.
    init(_ text: Substring, threads: Int) throws {
        let parts = text.split(separator: "@", maxSplits: 1)
        guard let name = parts.first, let workload = Workload(rawValue: String(name)) else {
            throw BenchmarkError("no workload '\(text)'; see --help")
        }
        self.workload = workload
        guard parts.count == 2 else {
            self.threads = workload.takesThreads ? threads : 1
            return
        }
        guard let number = Int(parts[1]), (1...256).contains(number) else {
            throw BenchmarkError("'\(text)': after @ comes a number of threads, 1 to 256")
        }
        guard workload.takesThreads || number == 1 else {
            throw BenchmarkError("'\(text)': \(name) runs on one thread")
        }
        self.threads = number
    }

    /// The runs of a comma-separated list.
    static func list(_ text: String, threads: Int) throws -> [WorkloadRun] {
        try text.split(separator: ",").map { try WorkloadRun($0, threads: threads) }
    }

    /// Everything, in an order in which each database is made once.
    static let defaultList = """
        fillseq,readseq,fillbatch,fill100K,fillsync,fillsync@8,readatonce,seekatonce,\
        fillrandom,readrandom,readmissing,readhot,readseq,readreverse,seekrandom,readrandom@2,overwrite,readwhilewriting,\
        compact,readrandom,readmissing,readhot,readseq,readreverse,seekrandom,readrandom@2,open,deleterandom,\
        scandeleted,queue,recover,bursts,sessions,\
        ycsb-load,ycsb-a,ycsb-b,ycsb-c,ycsb-d,ycsb-e,ycsb-f,\
        ycsb-a@2,ycsb-b@2,ycsb-c@2,ycsb-d@2,ycsb-e@2,ycsb-f@2
        """

    /// What tells most in little time.
    static let quickList = """
        fillseq,readseq,fillrandom,readrandom,readmissing,readseq,readreverse,seekrandom,overwrite,\
        compact,readrandom,readmissing,readseq,seekrandom
        """
}
