extension Bench {
    /// Runs a workload that is a number of operations.
    func perform(_ run: WorkloadRun, _ database: Database<E>) throws -> Outcome {
        switch run.workload {
        case .fillseq, .fillrandom, .fillsync, .fill100K, .ycsbLoad, .overwrite:
            Outcome(course: try performPuts(run, database))
        case .fillbatch:
            Outcome(course: try performBatches(database))
        case .queue:
            try performQueue(database)
        case .scandeleted:
            try performScans(database)
        case .deleterandom:
            Outcome(course: try performDeletes(run, database))
        case .readrandom, .readmissing, .readhot, .readseq, .readreverse, .seekrandom:
            try performReads(run, database)
        case .readatonce, .seekatonce:
            try performAtOnce(run, database)
        case .sessions:
            try performSessions(database)
        case .ycsbA, .ycsbB, .ycsbC, .ycsbD, .ycsbE, .ycsbF:
            try performMix(run, database)
        case .compact, .open, .recover, .readwhilewriting, .bursts:
            throw BenchmarkError("is not a number of operations")
        }
    }

    private func performPuts(_ run: WorkloadRun, _ database: Database<E>) throws -> Course {
        let threads = run.threads
        switch run.workload {
        case .overwrite:
            let count = section.count
            return try database.put(count, threads: threads) { .uniform(count, .overwrite, thread: $0, of: threads) }
        case .fillseq, .ycsbLoad:
            // Each thread has a part of its own, from its first to its last.
            let count = run.workload == .fillseq ? section.count : section.recordCount
            database.reserve(count)
            return try database.put(count, threads: threads) { thread in
                .ascending(from: Database<E>.firstIndex(count, thread: thread, of: threads))
            }
        default:
            let count = section.putCount(run)
            let order = IndexStream.permutation(count, .fillOrder)
            database.reserve(count, listed: count)
            return try database.put(count, threads: threads) { thread in
                .listed(order, from: Database<E>.firstIndex(count, thread: thread, of: threads))
            }
        }
    }

    private func performBatches(_ database: Database<E>) throws -> Course {
        database.reserve(section.count, listed: section.count)
        let order = IndexStream.permutation(section.count, .batchOrder)
        return try database.putBatches(section.count, batch: Section.batchCount, .listed(order, from: 0))
    }

    private func performDeletes(_ run: WorkloadRun, _ database: Database<E>) throws -> Course {
        let (count, threads) = (section.count, run.threads)
        return try database.delete(count, threads: threads) { .uniform(count, .deletion, thread: $0, of: threads) }
    }

    private func performReads(_ run: WorkloadRun, _ database: Database<E>) throws -> Outcome {
        let (count, threads) = (section.count, run.threads)
        let reads = try readCount(run, database)
        switch run.workload {
        case .readseq, .readreverse:
            return Outcome(course: try database.walk(reverse: run.workload == .readreverse)) {
                database.expectedOfWalk()
            }
        case .seekrandom, .seekatonce:
            let (seeks, entries) = (max(1, reads / 4), Section.entriesPerSeek)
            let stream = { @Sendable (thread: Int) in IndexStream.uniform(count, .seeking, thread: thread, of: threads)
            }
            return Outcome(course: try database.seek(seeks, threads: threads, entries: entries, stream)) {
                database.expectedOfSeek(seeks, threads: threads, entries: entries, stream)
            }
        case .readmissing:
            let course = try database.get(reads, threads: threads, missing: true) {
                .uniform(count, .missing, thread: $0, of: threads)
            }
            return Outcome(course: course) { Tally() }
        default:
            let isHot = run.workload == .readhot
            let range = isHot ? max(1, count / 100) : count
            let stream = { @Sendable (thread: Int) in
                IndexStream.uniform(range, isHot ? .hot : .reading, thread: thread, of: threads)
            }
            return Outcome(course: try database.get(reads, threads: threads, stream)) {
                database.expectedOfGet(reads, threads: threads, stream)
            }
        }
    }

    /// Keys that a workload of reads draws: where memory is limited, as many as take about ``Section/limitedSeconds``.
    private func readCount(_ run: WorkloadRun, _ database: Database<E>) throws -> Int {
        guard section.memoryLimit != nil, run.workload != .readseq, run.workload != .readreverse else {
            return section.readCount
        }
        let (count, threads) = (section.count, run.threads)
        let isSeek = run.workload == .seekrandom
        var sample = 16 * threads
        while true {
            let stream = { @Sendable (thread: Int) in IndexStream.uniform(count, .sample, thread: thread, of: threads) }
            let seconds = try Clock.seconds {
                if isSeek {
                    _ = try database.seek(sample, threads: threads, entries: Section.entriesPerSeek, stream)
                } else {
                    _ = try database.get(sample, threads: threads, missing: run.workload == .readmissing, stream)
                }
            }
            // A seek stands for four reads.
            let share = isSeek ? 4.0 : 1.0
            if seconds > 0.2 || sample >= section.readCount {
                let affordable = Double(sample) / max(seconds, 1e-6) * Section.limitedSeconds * share
                return min(section.readCount, max(sample, Int(affordable)))
            }
            sample *= 4
        }
    }

    /// Fills the database, unmeasured, and reads before the engine has had a moment for itself.
    private func performAtOnce(_ run: WorkloadRun, _ database: Database<E>) throws -> Outcome {
        try putAll(database)
        return try performReads(run, database)
    }

    private func performSessions(_ database: Database<E>) throws -> Outcome {
        let (course, expected) = try database.sessions(
            Section.sessionRounds, gets: section.session.gets, seeks: section.session.seeks,
            entries: Section.entriesPerSeek)
        return Outcome(course: course) { expected }
    }

    private func performQueue(_ database: Database<E>) throws -> Outcome {
        let (count, backlog) = (section.queueCount, section.backlog)
        database.reserve(count + backlog)
        return Outcome(course: try database.queue(count, backlog: backlog)) {
            database.expectedOfQueue(count)
        }
    }

    private func performScans(_ database: Database<E>) throws -> Outcome {
        let entries = Section.entriesPerScan
        return Outcome(course: try database.scanHead(atLeast: Section.deletedScans, entries: entries)) {
            database.expectedOfHead(entries: entries)
        }
    }

    private func performMix(_ run: WorkloadRun, _ database: Database<E>) throws -> Outcome {
        let mix = Mix(
            run.workload, count: section.mixCount, threads: run.threads, records: database.model.count)
        let before = database.model.count
        return Outcome(course: try database.run(mix)) { [self] tally in
            guard run.workload == .ycsbE else { return try check(tally, found: database.expectedReads(mix)) }
            // Scans touch entries where they lie; whether these are right, the verification at the end says.
            let expected = database.expectedScanned(mix, of: before)
            guard expected.contains(tally.found), tally.wrong == 0 else {
                throw BenchmarkError("scans have read \(tally.found) entries, expected \(expected)")
            }
        }
    }
}

extension Database {
    /// The first index of a thread's part of `0..<count`.
    static func firstIndex(_ count: Int, thread: Int, of threads: Int) -> Int {
        thread * (count / threads) + min(thread, count % threads)
    }
}
