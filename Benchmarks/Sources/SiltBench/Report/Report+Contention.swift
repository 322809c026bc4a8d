extension Report {
    /// The head of ``contention(_:)``.
    static let contentionHead = [
        "", "engine", "p50", "p99", "longest", "retries", "most attempts", "slowest thread",
    ]

    /// Explains ``contention(_:)``.
    static let contentionNote = """
        latency of transactions, with their retries; retries for each 1000; the most attempts of one; \
        slowest thread: what it had done when the first was through, as a share of the average
        """

    /// How the transactions of a section got on: a row for each workload and engine; none where it has no transactions.
    func contention(_ section: Section) -> [[String]] {
        labels(section).flatMap { label in
            summaries(label).compactMap { engine, summary -> [String]? in
                guard let retries = summary.median({ $0.contention?.retries }),
                    let attempts = summary.measurements.compactMap({ $0.contention?.mostAttempts }).max(),
                    let longest = summary.measurements.compactMap({ $0.latency?.max }).max(),
                    let p50 = summary.median({ $0.latency?.p50 }), let p99 = summary.median({ $0.latency?.p99 })
                else { return nil }
                let slowest = summary.median { $0.contention?.slowestThread }
                return [section.shortLabel(label), engine.title] + [p50, p99, longest].map(Format.microseconds) + [
                    Format.digits(retries * 1000, 1), "\(attempts)", slowest.map { Format.digits($0, 2) } ?? "-",
                ]
            }
        }
    }
}
