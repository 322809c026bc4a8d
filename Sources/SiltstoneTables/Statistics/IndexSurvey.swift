import Siltstone
import TableKit

/// Scans an index and collects its statistics for the planner.
///
/// All entries are counted. The bounds come from a sample of every n-th entry; n doubles whenever the sample is full.
struct IndexSurvey {
    private static let mostSamples = 1 << 10

    private let prefixBytes: Int
    private let columns: Int
    private var statistics = IndexStatistics()
    /// The values of the previous entry, and the end offset of each column in them.
    private var last: [UInt8] = []
    private var lastEnds: [Int]
    private var run = 0
    private var runs: [IndexStatistics.Common] = []
    private var samples: [[UInt8]] = []
    private var distance = 1
    private var greatest: [UInt8] = []

    /// - Parameters:
    ///   - prefixBytes: the number of bytes before the values.
    ///   - columns: the number of values in each entry.
    init(prefixBytes: Int, columns: Int) {
        self.prefixBytes = prefixBytes
        self.columns = columns
        lastEnds = [Int](repeating: 0, count: columns)
        statistics.distinct = [Int](repeating: 0, count: columns)
    }

    /// Adds the next entry.
    mutating func add(_ key: RawSpan) throws(CRUDDecoderError) {
        var ends = lastEnds
        var offset = prefixBytes
        for column in 0..<columns {
            offset = try KeyDecoder.end(ofValueAt: offset, in: key)
            ends[column] = offset - prefixBytes
        }
        let differing = firstDifference(key, ends)
        statistics.entries += 1
        if differing < columns {
            for column in differing..<columns { statistics.distinct[column] += 1 }
            if differing == 0 { endRun() }
            last.removeAll(keepingCapacity: true)
            unsafe key.extracting(prefixBytes..<offset).withUnsafeBytes { unsafe last.append(contentsOf: $0) }
            lastEnds = ends
        }
        run += 1
        if last.first == KeyTag.null { statistics.nulls += 1 } else { sample() }
    }

    /// The first column whose value differs from the previous entry.
    private func firstDifference(_ key: RawSpan, _ ends: [Int]) -> Int {
        if statistics.entries == 0 { return 0 }
        var start = 0
        for column in 0..<columns {
            if ends[column] != lastEnds[column] { return column }
            for place in start..<ends[column]
            where unsafe key.unsafeLoad(fromByteOffset: prefixBytes + place, as: UInt8.self) != last[place] {
                return column
            }
            start = ends[column]
        }
        return columns
    }

    private var firstValue: ArraySlice<UInt8> { last[..<(lastEnds.first ?? 0)] }

    private mutating func endRun() {
        defer { run = 0 }
        let value = firstValue
        guard run > 1, value.first != KeyTag.null, value.count <= IndexStatistics.mostBytes else { return }
        if runs.count == IndexStatistics.mostCommon {
            guard let least = runs.indices.min(by: { runs[$0].entries < runs[$1].entries }), runs[least].entries < run
            else { return }
            runs.remove(at: least)
        }
        runs.append(IndexStatistics.Common(value: Array(value), entries: run))
    }

    private mutating func sample() {
        let number = statistics.entries - statistics.nulls - 1
        greatest = Array(firstValue.prefix(IndexStatistics.mostBytes))
        guard number % distance == 0 else { return }
        samples.append(greatest)
        guard samples.count == Self.mostSamples else { return }
        samples = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        distance *= 2
    }

    /// Returns the statistics. Call it after the last entry.
    mutating func finish() -> IndexStatistics {
        endRun()
        // A value that is hardly more frequent than the average carries no information.
        let average = statistics.entriesPerValue()
        statistics.common = runs.filter { Double($0.entries) > 1.25 * average }.sorted { $0.entries > $1.entries }
        if !samples.isEmpty {
            let count = min(IndexStatistics.mostBounds, samples.count + 1)
            statistics.bounds = (0..<count - 1).map { samples[$0 * samples.count / (count - 1)] } + [greatest]
        }
        return statistics
    }
}
