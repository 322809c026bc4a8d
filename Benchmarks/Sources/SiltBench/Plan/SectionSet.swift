/// The sets of sections that `--set` names.
enum SectionSet: String, CaseIterable, Sendable {
    case quick, standard, full

    /// One line for the help.
    var summary: String {
        switch self {
        case .quick: "fills, reads, scans and a compaction"
        case .standard:
            "all workloads, YCSB, large values, other keys, transactions, repositories, item formats, tables"
        case .full:
            "these, servers and clusters, each engine's default compression, LMDB's other way to write, stores larger than "
                + "memory, and growth to 20 times as many keys"
        }
    }

    /// The sections.
    /// - Parameters:
    ///   - count: keys of the main one; the others' are in proportion.
    ///   - engines: those that take part, where they can.
    ///   - threads: of workloads that do not say.
    func sections(count: Int, valueBytes: Int, engines: [EngineKind], threads: Int) throws -> [Section] {
        let maker = SectionMaker(
            count: count, valueBytes: valueBytes, engines: engines.filter(EngineKind.stores.contains),
            servers: engines.filter(EngineKind.servers.contains), threads: threads)
        return try sections(maker).filter { !$0.engines.isEmpty }
    }

    private func sections(_ maker: SectionMaker) throws -> [Section] {
        switch self {
        case .quick: return [try maker.main(WorkloadRun.quickList)]
        case .standard:
            return try [maker.main(WorkloadRun.defaultList)] + maker.values() + maker.keys()
                + maker.transfers() + maker.repositories() + maker.tables()
        case .full:
            return try Self.standard.sections(maker) + maker.serverSections() + [maker.defaults()] + maker.writeMap()
                + [maker.limited()] + maker.growth()
        }
    }
}

/// Makes the sections of a set.
private struct SectionMaker {
    let count: Int
    let valueBytes: Int
    let engines: [EngineKind]
    let servers: [EngineKind]
    let threads: Int

    func main(_ workloads: String) throws -> Section {
        Section(
            name: Section.mainName, title: "\(Format.size(count)) keys of 16 bytes, values of \(valueBytes)",
            count: count, valueBytes: valueBytes, engines: engines, workloads: try list(workloads))
    }

    /// The same bytes in values of 1 KiB to 1 MiB: 256 MiB for a million keys.
    func values() throws -> [Section] {
        try [("1K", 1 << 10), ("10K", 10 << 10), ("100K", 100 << 10), ("1M", 1 << 20)].map { name, bytes in
            Section(
                name: "values-\(name)", title: "values of \(bytes < 1 << 20 ? "\(bytes >> 10) KiB" : "1 MiB")",
                count: max(16, count * 256 / bytes), valueBytes: bytes, engines: engines,
                workloads: try list("fillrandom,readrandom,readseq,overwrite"))
        }
    }

    /// Keys of 8 bytes, of 10 to 200, of 200.
    func keys() throws -> [Section] {
        try [KeySpace.binary, .paths, .long].map { keys in
            Section(
                name: "keys-\(keys.rawValue)", title: keys.summary, count: max(100, count / 4), valueBytes: valueBytes,
                keys: keys, engines: engines,
                workloads: try list(
                    "fillrandom,readrandom,readmissing,readseq,seekrandom,compact,readrandom,readmissing,readseq"))
        }
    }

    /// Transactions, of which a commit survives the process, or the power.
    func transfers() throws -> [Section] {
        let chosen = engines.filter(\.hasTransactions)
        if chosen.isEmpty { return [] }
        let workloads = ["transfer", "transfer100"].flatMap { name in [1, 2, 8].map { "\(name)@\($0)" } }
        return try [false, true].map { isSynced in
            Section(
                name: isSynced ? "transfer-synced" : "transfer",
                title: "transactions, a commit is \(isSynced ? "on stable storage" : "handed to the kernel")",
                count: count, valueBytes: valueBytes, isSynced: isSynced, engines: chosen,
                workloads: try list(workloads.joined(separator: ",")))
        }
    }

    /// The repositories, where a write survives the process and where it survives the power; the item formats.
    func repositories() -> [Section] {
        let chosen = engines.filter { $0 == .siltstone || $0 == .sqlite }
        guard chosen.contains(.siltstone) else { return [] }
        return [
            Section(
                name: "crud", title: "repositories of items, a write is handed to the kernel", kind: .repositories,
                count: max(100, count / 20), engines: chosen + [.memory]),
            Section(
                name: "crud-synced", title: "repositories of items, a write is on stable storage", kind: .repositories,
                count: max(100, count / 500), isSynced: true, engines: chosen + [.files]),
            Section(
                name: "transformers", title: "formats of an item", kind: .transformers, count: max(100, count / 20),
                engines: [.siltstone]),
        ]
    }

    /// Tables and queries; single rows whose insertion waits for the disk.
    func tables() -> [Section] {
        let chosen = engines.filter { $0 == .siltstone || $0 == .sqlite }
        guard chosen.contains(.siltstone) else { return [] }
        let all = chosen + (chosen.contains(.sqlite) ? [.perfect] : [])
        return [
            Section(
                name: "tables", title: "tables of \(Format.size(count)) rows, a commit is handed to the kernel",
                kind: .tables, count: count, engines: all),
            Section(
                name: "tables-synced", title: "rows of tables, a commit is on stable storage", kind: .tables,
                count: max(100, count / 500), isSynced: true, engines: all),
        ]
    }

    /// Servers and clusters beside embedded engines; their adapters beside the libraries below.
    func serverSections() -> [Section] {
        if servers.isEmpty { return [] }
        return [
            Section(
                name: "servers", title: "tables in servers and clusters, a commit is on stable storage", kind: .servers,
                count: count, isSynced: true, engines: engines.filter { $0 == .siltstone || $0 == .sqlite } + servers),
            Section(
                name: "servers-adapters", title: "adapters beside the C libraries below them", kind: .adapters,
                count: count, engines: servers.flatMap { server in server.plainClient.map { [server, $0] } ?? [] }),
        ]
    }

    /// Everything else being equal, each engine's own choice of compression.
    func defaults() throws -> Section {
        Section(
            name: "defaults", title: "each engine's default compression", count: count, valueBytes: valueBytes,
            hasDefaultCompression: true, engines: engines, workloads: try list(WorkloadRun.quickList))
    }

    /// LMDB writing through its mapping, which is faster than its default and trusts the whole program's pointers.
    func writeMap() throws -> [Section] {
        let chosen = engines.filter { $0 == .siltstone || $0 == .lmdb }
        guard chosen.contains(.lmdb) else { return [] }
        return [
            Section(
                name: "lmdb-writemap", title: "LMDB with MDB_WRITEMAP", count: count, valueBytes: valueBytes,
                hasWriteMap: true, engines: chosen, workloads: try list(WorkloadRun.quickList))
        ]
    }

    /// Values of 1000 bytes, and a bit less than a third of the memory that they take. Never less than what the write
    /// buffers of all engines and the harness need.
    func limited() throws -> Section {
        let valueBytes = 1000
        let limit = max(count * (valueBytes + 16) / 10 * 3, 256 << 20)
        return Section(
            name: Section.limitedName,
            title: "\(Format.size(count)) keys of 16 bytes, values of \(valueBytes), \(limit >> 20) MiB of memory",
            count: count, valueBytes: valueBytes, memoryLimit: limit, engines: engines,
            workloads: try list(
                "fillseq,fillrandom,readrandom,readrandom@16,readmissing,readmissing@16,seekrandom,seekrandom@16,readseq"
            ))
    }

    /// From a tenth of the keys to twenty times as many, which is more than memory's usual share.
    ///
    /// SQLite does not take part above twice the count: it would take hours, and is the best peer nowhere.
    func growth() throws -> [Section] {
        let reads = "readrandom,readmissing,readseq,seekrandom"
        return try [max(100, count / 10), count, count * 5, count * 20].map { grown in
            let isLargest = grown == count * 20
            let fills = isLargest ? "fillseq,fillbatch,fillrandom" : "fillrandom"
            return Section(
                name: Section.growthPrefix + Format.size(grown),
                title: "\(Format.size(grown)) keys", count: grown, valueBytes: valueBytes,
                engines: engines.filter { $0 != .sqlite || grown <= count * 2 },
                workloads: try list(
                    "\(fills),\(reads),overwrite\(isLargest ? ",deleterandom" : ""),compact,\(reads)"))
        }
    }

    private func list(_ text: String) throws -> [WorkloadRun] { try WorkloadRun.list(text, threads: threads) }
}
