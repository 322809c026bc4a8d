import Synchronization

/// What the system's page cache can hold of a store's files: all of them, or less.
///
/// Where the files fit, reads count on finding them in memory, and what is missing is read in large pieces. Where they do
/// not, each read asks for its own pages and no others, since others would push out pages that are in use.
final class PageCache: Sendable {
    /// The memory that the system leaves for files, in bytes; nil where it does not tell.
    typealias Source = @Sendable () -> Int?

    /// How long a figure of the system's counts, in nanoseconds: it takes some 100 µs to ask.
    private static let validity: UInt64 = 250_000_000
    /// Reads of the disk between two looks at the memory there is.
    private static let missesApart: UInt64 = 1024

    private let source: Source
    private let tight = Atomic<Bool>(false)
    private let indexTight = Atomic<Bool>(false)
    private let misses = Atomic<UInt64>(0)
    private let onMiss = Locked<(@Sendable () -> Void)?>(nil)
    private let latest = Locked(Figure())

    private struct Figure {
        var available: Int?
        var moment: UInt64 = 0
    }

    /// - Parameter source: asked for the memory there is; what the system tells if not given.
    init(source: @escaping Source = { SystemMemory.available() }) { self.source = source }

    /// Whether the store's files do not fit into memory.
    @inline(__always)
    var isTight: Bool { tight.load(ordering: .relaxed) }

    /// Whether not even the indexes fit, with room for records beside them.
    var isIndexTight: Bool { indexTight.load(ordering: .relaxed) }

    /// The memory for files that the system told of last, in bytes; nil where it does not tell.
    var available: Int? { latest.withLock { $0.available } }

    /// Compares the files with the memory there is.
    /// - Parameters:
    ///   - fileBytes: of all files that are read.
    ///   - indexBytes: of these, what is read to find the rest.
    /// - Returns: whether ``isTight`` has changed.
    @discardableResult
    func measure(fileBytes: Int, indexBytes: Int) -> Bool {
        let available = latest.withLock { latest in
            let now = Platform.monotonicNanoseconds()
            if latest.moment == 0 || now - latest.moment > Self.validity {
                latest = Figure(available: source(), moment: now)
            }
            return latest.available
        }
        guard let available else { return false }
        indexTight.store(indexBytes > available / 2, ordering: .relaxed)
        // Two thresholds: a store about as large as memory must not change its ways all the time.
        let limit = isTight ? available / 4 * 3 : available / 8 * 7
        let isTight = fileBytes > limit
        return tight.exchange(isTight, ordering: .relaxed) != isTight
    }

    /// Has something done now and then where pages are missing, from the first one on: the memory there is should be
    /// measured. A store that is found in memory does not need that.
    func whenMissing(_ body: @escaping @Sendable () -> Void) { onMiss.withLock { $0 = body } }

    /// Counts pages that have to be read from the disk.
    func noteMiss() {
        let before = misses.wrappingAdd(1, ordering: .relaxed).oldValue
        if before.isMultiple(of: Self.missesApart) { onMiss.withLock { $0 }?() }
    }
}
