/// Some keys, made before they are used.
///
/// A processor begins with the next read while it waits for the memory of the one before, if there are not too many
/// instructions between the two: some hundreds. A key made in between would take a third of those, on the harness's
/// account.
struct KeyBatch: ~Copyable {
    /// The most keys.
    static let limit = 64

    private let maker: KeyMaker
    private let missing: Bool
    private let memory: UnsafeMutableRawPointer
    private let entries: UnsafeMutablePointer<(key: Bytes, index: Int)>
    /// Where the next key goes.
    private var free = 0

    /// - Parameters:
    ///   - space: which keys.
    ///   - missing: whether to make such as do not exist.
    init(_ space: KeySpace, missing: Bool) {
        maker = KeyMaker(space)
        self.missing = missing
        memory = .allocate(byteCount: Self.limit * KeyMaker.blockBytes, alignment: 64)
        entries = .allocate(capacity: Self.limit)
    }

    deinit {
        memory.deallocate()
        entries.deallocate()
    }

    /// Makes the key of `index`, and puts it in a place: 0 first, then the next.
    @inline(__always)
    mutating func set(_ place: Int, _ index: Int) {
        let key = missing ? maker.missingKey(index) : maker.key(index)
        // Close together, as they would lie in a program: not to take more of the caches than needed.
        let copy = memory + (place == 0 ? 0 : free)
        free = copy - memory &+ (key.count &+ 15) & ~15
        if let address = key.baseAddress { copy.copyMemory(from: address, byteCount: key.count) }
        (entries + place).initialize(to: (Bytes(start: copy, count: key.count), index))
    }

    /// The key in a place.
    @inline(__always)
    func key(_ place: Int) -> Bytes { entries[place].key }

    /// Its index.
    @inline(__always)
    func index(_ place: Int) -> Int { entries[place].index }
}
