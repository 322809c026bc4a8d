import Foundation
import Testing

@testable import Siltstone

/// Every byte is bad once: what the engine makes of it is right data, or an error that names the file; and repair brings
/// back what is proved.
///
/// The quick form does one thing to each twentieth byte. The thorough form does everything to each byte of two of the samples,
/// and one thing to each byte of the others. The long form does everything, and goes on with stores of random shapes.
struct BadBytesTests {
    /// Whether every damage is tried on the sample of this index.
    private func isWhole(_ index: Int) -> Bool {
        SuiteScale.count(false, thorough: index == 0 || index == 3, long: true)
    }

    @Test("Whichever byte is flipped, inverted or zeroed, reads are right or throw, and nothing is lost unnoticed")
    func bytes() throws {
        var tally = DamageTally("bad bytes", test: "bytes")
        for (index, shape) in SampleStores.shapes.enumerated() {
            let sample = try SampleStores.make(shape)
            let kinds = [Damage.Kind.bit, .invert, .zero]
            for name in sample.files.names {
                let count = sample.files.bytes(name)?.count ?? 0
                // By twenty, so that it does not go in step with the three kinds; of each sample other bytes.
                let step = SuiteScale.count(20, thorough: 1)
                for offset in stride(from: index * step / SampleStores.shapes.count, to: count, by: step) {
                    let all = kinds.indices.lazy.map { kinds[(offset + $0) % kinds.count] }
                        .compactMap { sample.files.flipped($0, name, at: offset) }
                    // Of a sample of which each third damage is tried, each byte meets the first kind that changes it.
                    if isWhole(index) {
                        for damage in all { try tally.open(sample, damage) }
                    } else if let damage = all.first {
                        try tally.open(sample, damage)
                    }
                }
            }
        }
        tally.report()
    }

    @Test("At whatever length a file is cut, reads are right or throw, and nothing is lost unnoticed")
    func cuts() throws {
        var tally = DamageTally("cuts", test: "cuts")
        for (index, shape) in SampleStores.shapes.enumerated() {
            let sample = try SampleStores.make(shape)
            for name in sample.files.names {
                let step = isWhole(index) ? 1 : SuiteScale.count(83, thorough: 5)
                for length in stride(from: 0, to: sample.files.bytes(name)?.count ?? 0, by: step) {
                    try tally.open(sample, sample.files.cut(name, to: length))
                }
            }
        }
        tally.report()
    }

    @Test("Whatever happens to a file as a whole, reads are right or throw, and nothing is lost unnoticed")
    func files() throws {
        var tally = DamageTally("bad files", test: "files")
        for shape in SampleStores.shapes {
            let sample = try SampleStores.make(shape)
            let catalogue = try SampleStores.catalogue(of: sample, shape)
            for damage in catalogue.whole()
                + every(SuiteScale.count(211, thorough: 11, long: 1), of: catalogue.misplaced())
            {
                try tally.open(sample, damage)
            }
        }
        tally.report()
    }

    @Test("From whatever damage, repair brings back all that is proved, and invents nothing")
    func repairs() throws {
        var tally = DamageTally("repairs", test: "repairs")
        let step = SuiteScale.count(397, thorough: 13, long: 1)
        for shape in SampleStores.shapes {
            let sample = try SampleStores.make(shape)
            for name in sample.files.names {
                let count = sample.files.bytes(name)?.count ?? 0
                for offset in stride(from: 0, to: count, by: step) {
                    if let damage = sample.files.flipped(.bit, name, at: offset) { try tally.repair(sample, damage) }
                }
                // Where frames end, a cut leaves no trace of itself.
                for length in stride(from: 0, to: count, by: SuiteScale.count(880, thorough: 40, long: 8)) {
                    try tally.repair(sample, sample.files.cut(name, to: length))
                }
            }
            let catalogue = try SampleStores.catalogue(of: sample, shape)
            let whole = catalogue.whole().enumerated().filter { index, damage in
                damage.kind != .lengthen || index % SuiteScale.count(32, thorough: 4, long: 1) == 0
            }
            for damage in whole.map(\.element)
                + every(SuiteScale.count(1_500, thorough: 60, long: 1), of: catalogue.misplaced())
            {
                try tally.repair(sample, damage)
            }
        }
        tally.report()
    }

    @Test(
        "Of whichever two frames, or the values behind them, are damaged: what a whole frame vouches for is not cut off"
    )
    func pairsOfFrames() throws {
        var tally = DamageTally("pairs of frames", test: "pairsOfFrames")
        let everyPair = SuiteScale.count(4, thorough: 1)
        for shape in SampleStores.shapes where shape.ending != .closed {
            let sample = try SampleStores.make(shape)
            let proofs = sample.logs.flatMap { $0.frames.flatMap(\.proof) }
            for (index, one) in proofs.enumerated() {
                // In the quick form the next one, and every fourth.
                for (distance, other) in proofs[(index + 1)...].enumerated() where distance % everyPair == 0 {
                    guard
                        let first = sample.files.flipped(.invert, one.file, at: one.range.lowerBound),
                        let second = first.applied(to: sample.files)
                            .flipped(.invert, other.file, at: other.range.upperBound - 1)
                    else { continue }
                    let both = first.changes.merging(second.changes) { $1 }
                    try tally.open(sample, Damage(.several, "\(first) and \(second)", both))
                }
            }
        }
        tally.report()
    }

    @Test("Several damages at once, in stores of any shape, are no worse")
    func several() throws {
        let deadline = SuiteScale.deadline()
        var seed = SuiteScale.seed
        let replay = { SuiteScale.replay("BadBytesTests/several", seed: $0) }
        var tally = DamageTally("several at once", test: "several")
        repeat {
            tally.replay = replay(seed)
            var random = RandomDamage(seed: seed)
            let sample = try SampleStores.make(random.shape())
            // Where the manifest and what contradicts it are damaged together, nothing is left that could tell.
            let names = sample.files.names.filter { $0 != "CURRENT" && !$0.hasSuffix(".manifest") }
            for _ in 0..<SuiteScale.count(29, thorough: 150) {
                try tally.open(sample, random.damage(of: sample.files, names))
            }
            for _ in 0..<SuiteScale.count(10, thorough: 50) {
                try tally.repair(sample, random.damage(of: sample.files, sample.files.names))
            }
            seed &+= 1
        } while deadline.map { Date() < $0 } ?? false
        tally.report()
    }

    private func every(_ step: Int, of damages: [Damage]) -> [Damage] {
        stride(from: 0, to: damages.count, by: step).map { damages[$0] }
    }
}
