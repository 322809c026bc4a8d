import Foundation

/// The workloads of one store with tables, in their order. Each checks what it has read, and what it leaves.
struct TableRun<Store: TableStore> {
    let section: Section
    let maker: PlayerMaker
    /// Makes an empty directory for a database.
    let directory: (String) throws -> String
    /// Brings the machine into its state before a workload; whether it writes much.
    let prepare: (_ writes: Bool) -> Void
    /// Takes what was measured, and says whether what was read is what should have been.
    let report: (TableWorkload, Course) throws -> Void

    private var count: Int { section.count }

    /// Everything that is no wait for the disk.
    func all() throws {
        try fillAndChange()
        try fillAndRead()
    }

    /// A commit waits for the disk: one task, then eight.
    func allSynced() throws {
        let store = try Store(directory: directory("tables"), isSynced: true)
        let (maker, count) = (maker, section.count)
        prepare(true)
        try report(
            .insert,
            try Blocking.wait {
                try await TableMeter.time(count, tasks: 1) { try await store.insertShared(maker.player($0)) }
            })
        let rest = PlayerMaker(count: count * 5)
        prepare(true)
        try report(
            .insertEight,
            try Blocking.wait {
                try await TableMeter.time(count * 4, tasks: 8) { try await store.insertShared(rest.player(count + $0)) }
            })
        var (all, expected) = (Tally(), Tally())
        try store.selectAll(&all)
        for id in 0..<count { expected.add(maker.player(id)) }
        for id in count..<count * 5 { expected.add(rest.player(id)) }
        try require(all == expected, "not all rows are there")
        try store.close()
    }

    // MARK: Writing

    /// Inserts, makes an index, updates and deletes through it.
    private func fillAndChange() throws {
        let store = try Store(directory: directory("changes"), isSynced: false)
        try fill(store, .insert)
        prepare(true)
        try report(.index, try TableMeter.time(1, weight: count) { _, _ in try store.index(.playerCreated) })
        let order = IndexStream.permutation(count, .mix).prefix(section.rowOperations)
        let changed = order.map { maker.player(Int($0), isChanged: true) }
        prepare(true)
        try report(.update, try TableMeter.time(changed.count) { i, _ in try store.update(changed[i]) })
        let step = TableWorkload.rangeRows
        prepare(true)
        try report(
            .delete,
            try TableMeter.time(section.deleteOperations) { i, _ in
                try store.delete(created: created(i * step, step))
            })
        var expected = Tally()
        let isChanged = Set(order.map { Int($0) })
        for id in 0..<count {
            if isChanged.contains(id) {
                expected.add(maker.player(id, isChanged: true))
            } else if maker.place(id) >= section.deleteOperations * step {
                expected.add(maker.player(id))
            }
        }
        var left = Tally()
        try store.selectAll(&left)
        try require(left == expected, "after updates and deletes there are \(left), not \(expected)")
        try require(
            try store.count(created: created(count, count)) == changed.count, "the index does not have the updated rows"
        )
        try store.close()
    }

    /// Inserts all rows, some in a transaction.
    private func fill(_ store: Store, _ workload: TableWorkload) throws {
        let step = min(TableWorkload.batchCount, count)
        // A slice is made while the clock stands still, of a length that leaves memory to the store.
        let batches = stride(from: 0, to: count, by: step).map { $0..<min($0 + step, count) }
        prepare(true)
        let before = ProcessUsage.now()
        var meter = Meter(operations: count, step: step)
        meter.begin()
        meter.pause()
        for batch in batches {
            let players = maker.players(batch)
            meter.resume()
            try store.insert(players)
            meter.lap(players.count)
            meter.pause()
        }
        try report(workload, Course(records: [meter.record()], before: before, after: .now()))
    }

    private func created(_ place: Int, _ count: Int) -> Range<Date> {
        PlayerMaker.created(place)..<PlayerMaker.created(place + count)
    }

    // MARK: Reading

    private func fillAndRead() throws {
        let store = try Store(directory: directory("reads"), isSynced: false)
        try store.index(.playerGroup)
        try store.index(.playerCreated)
        try fill(store, .insertIndexed)
        try store.insert(maker.teams(), maker.members())
        var (all, expected) = (Tally(), Tally())
        for id in 0..<count { expected.add(maker.player(id)) }
        prepare(false)
        try store.selectAll(&all)
        try require(all == expected, "after inserts there are \(all), not \(expected)")
        try readRows(store)
        try readRanges(store)
        try readEverything(store, all)
        try readJoins(store)
        try transfer(store)
        try store.close()
    }

    private func readRows(_ store: Store) throws {
        var random = RandomSource(.reading)
        let ids = (0..<section.rowOperations).map { _ in random.below(count) }
        var expected = Tally()
        for id in ids { expected.add(maker.player(id)) }
        for (workload, read) in [(TableWorkload.key, store.select(id:)), (.find, store.find(id:))] {
            try check(
                workload,
                try TableMeter.time(ids.count) { i, tally in if let player = try read(ids[i]) { tally.add(player) } },
                expected)
        }
        try check(
            .missing,
            try TableMeter.time(ids.count) { i, tally in
                if let player = try store.find(id: count + ids[i]) { tally.add(player) }
            }, Tally())
    }

    private func readRanges(_ store: Store) throws {
        let byPlace = Self.inverse(count) { maker.place($0) }
        var random = RandomSource(.seeking)
        let step = min(TableWorkload.rangeRows, count)
        let starts = (0..<section.rangeOperations).map { _ in random.below(count - step + 1) }
        var expected = Tally()
        for start in starts { for place in start..<start + step { expected.add(maker.player(byPlace[place])) } }
        try check(
            .range,
            try TableMeter.time(starts.count) { i, tally in
                try store.select(created: created(starts[i], step), &tally)
            }, expected)
        let counted = Tally(found: step * starts.count, checksum: 0, wrong: 0)
        try check(
            .rangeCount,
            try TableMeter.time(starts.count) { i, tally in
                tally.found += try store.count(created: created(starts[i], step))
            }, counted)
        let limit = min(TableWorkload.orderRows, count)
        let firsts = (0..<section.orderOperations).map { _ in random.below(count - limit + 1) }
        expected = Tally()
        for first in firsts { for place in first..<first + limit { expected.add(maker.player(byPlace[place])) } }
        try check(
            .orderIndexed,
            try TableMeter.time(firsts.count) { i, tally in
                try store.select(from: PlayerMaker.created(firsts[i]), limit: limit, &tally)
            }, expected)
    }

    private func readEverything(_ store: Store, _ all: Tally) throws {
        let passes = section.passes
        let bound = maker.score(below: 0.01)
        var few = Tally()
        for id in 0..<count where maker.player(id).score < bound { few.add(maker.player(id)) }
        try check(
            .filter,
            try TableMeter.time(passes, weight: count) { _, tally in try store.select(below: bound, &tally) },
            few.repeated(passes))
        try check(
            .rows, try TableMeter.time(passes, weight: count) { _, tally in try store.selectAll(&tally) },
            all.repeated(passes))
        var hasFast = true
        let course = try TableMeter.time(passes, weight: count) { _, tally in
            if hasFast { hasFast = try store.selectAllFast(&tally) }
        }
        if hasFast { try check(.rowsFast, course, all.repeated(passes)) }
        let limit = min(TableWorkload.orderRows, count)
        var lowest = Tally()
        let lowScores = (0..<count).filter { maker.player($0).score < Double(limit) / Double(count) * 100 }
        for id in lowScores { lowest.add(maker.player(id)) }
        try check(
            .order, try TableMeter.time(passes) { _, tally in try store.selectLowest(limit, &tally) },
            lowest.repeated(passes))
    }

    private func readJoins(_ store: Store) throws {
        let operations = section.joinOperations
        let teams = Dictionary(grouping: maker.members(), by: \.teamId)
        func expected(_ ids: Range<Int>) -> Tally {
            var tally = Tally()
            for id in ids { tally.add(Team(id: id, name: "team \(id)", members: teams[id])) }
            return tally
        }
        let everyone = 0..<maker.teamCount
        var isDone = true
        let course = try TableMeter.time(operations.all) { _, tally in
            if isDone { isDone = try store.selectTeams(nil, isIndexed: false, &tally) }
        }
        if isDone { try check(.joinUnindexed, course, expected(everyone).repeated(operations.all)) }
        try store.index(.memberTeam)
        prepare(false)
        let size = min(1000, maker.teamCount)
        var random = RandomSource(.sample)
        let starts = (0..<operations.few).map { _ in random.below(maker.teamCount - size + 1) }
        let wanted = starts.reduce(Tally()) { $0 + expected($1..<$1 + size) }
        try check(
            .join,
            try TableMeter.time(starts.count) { i, tally in
                _ = try store.selectTeams(starts[i]..<starts[i] + size, isIndexed: true, &tally)
            }, wanted)
    }

    // MARK: Transactions

    /// Moves points between rows; the end is that of the same moves in memory.
    private func transfer(_ store: Store) throws {
        var random = RandomSource(.transfers)
        var scores = (0..<count).map { maker.player($0).score }
        let moves = (0..<section.rowOperations).map { _ in
            let from = random.below(count)
            return (from: from, to: (from + 1 + random.below(count - 1)) % count, points: Double(random.below(10)))
        }
        prepare(true)
        let course = try TableMeter.time(moves.count) { i, _ in
            try store.transfer(moves[i].points, from: moves[i].from, to: moves[i].to)
        }
        try report(.transfer, course)
        for move in moves {
            scores[move.from] -= move.points
            scores[move.to] += move.points
        }
        var (all, expected) = (Tally(), Tally())
        for id in 0..<count {
            var player = maker.player(id)
            player.score = scores[id]
            expected.add(player)
        }
        try store.selectAll(&all)
        try require(all == expected, "the transfers have left \(all), not \(expected)")
    }

    // MARK: Checking

    private func check(_ workload: TableWorkload, _ course: Course, _ expected: Tally) throws {
        try require(course.tally == expected, "\(workload.rawValue) has read \(course.tally), not \(expected)")
        try report(workload, course)
    }

    private func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
        if !condition { throw BenchmarkError(text()) }
    }

    /// The number of each value of a permutation.
    private static func inverse(_ count: Int, _ value: (Int) -> Int) -> [Int] {
        var inverse = [Int](repeating: 0, count: count)
        for i in 0..<count { inverse[value(i)] = i }
        return inverse
    }
}

extension Tally {
    /// What is read by reading the same again and again.
    fileprivate func repeated(_ times: Int) -> Tally {
        Tally(found: found * times, checksum: checksum &* UInt64(times), wrong: wrong * times)
    }
}
