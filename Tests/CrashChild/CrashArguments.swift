/// The command line of the child.
struct CrashArguments: Equatable {
    var scenario: CrashScenario
    /// The directory of the store.
    var store: String
    /// The file that the child notes its progress in; made by the parent.
    var journal: String
    /// Decides, with a lane and an index, what an operation does.
    var seed: UInt64
    /// The number of operations after which each writing lane stops and the store is closed; 0: go on until killed.
    var stopAfter: UInt64
    /// For each lane the index of its first operation.
    var firstIndexes: [UInt64]

    /// The words of the command line, without the program's name.
    var words: [String] {
        [scenario.rawValue, store, journal, String(seed), String(stopAfter)] + firstIndexes.map { String($0) }
    }
}

extension CrashArguments {
    struct Malformed: Error {
        var words: [String]
    }

    /// Reads a command line, its first word being the program's name.
    init(_ line: [String]) throws {
        guard line.count > 6, let scenario = CrashScenario(rawValue: line[1]), let seed = UInt64(line[4]),
            let stopAfter = UInt64(line[5])
        else { throw Malformed(words: line) }
        let firstIndexes = line.dropFirst(6).compactMap { UInt64($0) }
        guard firstIndexes.count == line.count - 6, firstIndexes.count == scenario.lanes else {
            throw Malformed(words: line)
        }
        self.init(
            scenario: scenario, store: line[2], journal: line[3], seed: seed, stopAfter: stopAfter,
            firstIndexes: firstIndexes)
    }
}
