/// What a database should hold: for each index, which value in turn its key was given last.
///
/// One byte an index: a random look at it is part of every write that is measured, and should cost no more than it must.
///
/// `@unchecked Sendable`: threads that write at the same time write to different indices, which the workloads see to
/// (``IndexStream/uniform(_:count:stride:offset:)``); all else happens on one thread.
final class Model: @unchecked Sendable {
    private static let removedBit: UInt8 = 1 << 7

    /// By index; 0: never written; after 127 comes 1 again.
    private var generations: UnsafeMutableBufferPointer<UInt8>
    /// Indices in use: all below it were written at some time, or will be.
    private(set) var count = 0
    /// Whether the generations are known: not after threads have raced for the same keys.
    var isExact = true
    /// Whether every engine comes to the same generations: not after writes that went on for as long as something else
    /// took.
    var isReproducible = true

    init(capacity: Int) {
        generations = .allocate(capacity: max(capacity, 1))
        generations.initialize(repeating: 0)
    }

    deinit { generations.deallocate() }

    /// Makes room for indices below `count`. No other thread uses the model.
    func reserve(_ count: Int) {
        if count > generations.count {
            let larger = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: count)
            larger.initialize(repeating: 0)
            larger.baseAddress?.update(from: generations.baseAddress!, count: self.count)  // allocated above: not nil
            generations.deallocate()
            generations = larger
        }
        self.count = max(self.count, count)
    }

    /// The stamp of the next value of `index`, which is taken to be written.
    @inline(__always)
    func nextStamp(_ index: Int) -> Stamp {
        let last = generations[index] & ~Self.removedBit
        let generation = last == 127 ? 1 : last &+ 1
        generations[index] = generation
        return Stamp(index: index, generation: UInt32(generation))
    }

    /// Takes `index` to be removed.
    @inline(__always)
    func remove(_ index: Int) { generations[index] |= Self.removedBit }

    /// The stamp of the value that `index` should have, or nil where it should have none.
    func stamp(_ index: Int) -> Stamp? {
        let generation = generations[index]
        if generation == 0 || generation & Self.removedBit != 0 { return nil }
        return Stamp(index: index, generation: UInt32(generation))
    }

    /// How many keys should have a value.
    var liveCount: Int { (0..<count).reduce(0) { $0 + (stamp($1) == nil ? 0 : 1) } }
}
