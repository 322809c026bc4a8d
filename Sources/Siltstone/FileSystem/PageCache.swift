import Synchronization

/// Says whether the system's page cache can hold all files of a store. It caches nothing itself.
///
/// If the files fit, reads rely on finding them in memory, and missing parts are read in large pieces. If they do not
/// fit, each read requests only its own pages, because others would evict pages that are in use.
final class PageCache: Sendable {
    /// Returns the memory that the system leaves for files, in bytes; nil if the system does not report it.
    typealias Source = @Sendable () -> Int?

    /// Time for which a sampled figure is used, in nanoseconds. Sampling takes some 100 µs.
    private static let validity: UInt64 = 250_000_000
    /// Number of requests between two samples of the available memory. The exact value was not measured.
    private static let requestsApart: UInt64 = 1024

    private let source: Source
    /// See ``isTight``.
    private let tight = Atomic<Bool>(false)
    private let indexTight = Atomic<Bool>(false)
    private let requests = Atomic<UInt64>(0)
    /// See ``whenRequested(_:)``; nil until it is set.
    private let onRequest = Locked<(@Sendable () -> Void)?>(nil, rank: .leaf)
    private let latest = Locked(Figure(), rank: .leaf)

    private struct Figure {
        var available: Int?
        /// Time of the sample, in nanoseconds; 0 before the first.
        var moment: UInt64 = 0
    }

    /// Creates a page cache that has measured nothing yet.
    /// - Parameter source: returns the available memory; by default the system's figure.
    init(source: @escaping Source = { SystemMemory.available() }) { self.source = source }

    /// True if the store's files do not fit into memory. False before the first measurement.
    @inline(__always)
    var isTight: Bool { tight.load(ordering: .relaxed) }

    /// True if the indexes alone take more than half of the memory, which leaves too little for records.
    var isIndexTight: Bool { indexTight.load(ordering: .relaxed) }

    /// Compares the size of the files with the available memory.
    /// - Parameters:
    ///   - fileBytes: bytes of all files that are read.
    ///   - indexBytes: bytes of them that are read to find the rest.
    /// - Returns: true if ``isTight`` has changed.
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
        // Two thresholds, so that a store about as large as the memory does not change its behavior all the time.
        let limit = isTight ? available / 4 * 3 : available / 8 * 7
        let isTight = fileBytes > limit
        return tight.exchange(isTight, ordering: .relaxed) != isTight
    }

    /// Sets a function that is called at the first request, and then at every 1,024th, to measure the available memory.
    /// Calls it at once if there were requests already: recovery may read values before there is a function.
    ///
    /// A store whose pages are in memory needs no measurement. The caller of ``noteRequest()`` may hold locks of the
    /// store, so `body` should only schedule work.
    func whenRequested(_ body: @escaping @Sendable () -> Void) {
        onRequest.withLock { $0 = body }
        if requests.load(ordering: .relaxed) > 0 { body() }
    }

    /// Counts a request for pages that may have to be read from the disk.
    func noteRequest() {
        let before = requests.wrappingAdd(1, ordering: .relaxed).oldValue
        if before.isMultiple(of: Self.requestsApart) { onRequest.withLock { $0 }?() }
    }
}
