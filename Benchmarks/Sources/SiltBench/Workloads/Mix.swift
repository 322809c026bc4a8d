/// The operations of a workload of YCSB, drawn beforehand: drawing from Zipf's law costs more than many a read.
///
/// Source: Cooper et al., "Benchmarking cloud serving systems with YCSB", SoCC 2010; parameters as in its `workloads/`.
struct Mix {
    /// One operation.
    struct Operation {
        enum Kind: UInt8 { case read, update, insert, scan, readModifyWrite }

        var kind: Kind
        /// Entries to scan.
        var length: UInt8 = 0
        var index: UInt32
    }

    /// Operations by thread.
    private(set) var operations: [[Operation]] = []
    /// Records after the inserts.
    private(set) var records: Int

    /// - Parameters:
    ///   - count: operations in all.
    ///   - records: records before.
    init(_ workload: Workload, count: Int, threads: Int, records: Int) {
        self.records = records
        let base = records
        let zipfian = Zipfian(count: base)
        var randoms = (0..<threads).map { RandomSource(.mix, stream: Int(workload.mixNumber) << 8 | $0) }
        // A thread reads the latest of what it has inserted itself and of what was there before: what the others have
        // inserted may not be there yet.
        var inserted = [[UInt32]](repeating: [], count: threads)
        operations = (0..<threads).map { _ in [] }
        for i in 0..<count {
            let thread = i % threads
            let kind = workload.kind(percent: randoms[thread].below(100))
            var operation = Operation(kind: kind, index: 0)
            if kind == .insert {
                operation.index = UInt32(self.records)
                inserted[thread].append(operation.index)
                self.records += 1
            } else {
                let rank = zipfian.next(&randoms[thread])
                if workload == .ycsbD {
                    let own = inserted[thread]
                    operation.index =
                        rank < own.count ? own[own.count - 1 - rank] : UInt32(base - 1 - (rank - own.count))
                } else {
                    // Scrambled: the popular ones are spread over all keys.
                    operation.index = UInt32(mixed(UInt64(rank) &+ 0x5EED) % UInt64(base))
                }
            }
            if kind == .scan { operation.length = UInt8(1 + randoms[thread].below(100)) }
            operations[thread].append(operation)
        }
    }
}

extension Workload {
    fileprivate var mixNumber: UInt8 {
        switch self {
        case .ycsbA: 1
        case .ycsbB: 2
        case .ycsbC: 3
        case .ycsbD: 4
        case .ycsbE: 5
        default: 6
        }
    }

    /// The kind of operation for a number in `0..<100`.
    fileprivate func kind(percent: Int) -> Mix.Operation.Kind {
        switch self {
        case .ycsbA: percent < 50 ? .read : .update
        case .ycsbB: percent < 95 ? .read : .update
        case .ycsbD: percent < 95 ? .read : .insert
        case .ycsbE: percent < 95 ? .scan : .insert
        case .ycsbF: percent < 50 ? .read : .readModifyWrite
        default: .read
        }
    }
}
