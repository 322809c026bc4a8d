import Foundation
import Synchronization

/// Looks every fiftieth of a second at how much memory is resident: the kernel keeps a peak of the sum, not of the two
/// kinds, and mapped pages of files can be taken back at any time while the others cannot.
final class MemorySampler: Sendable {
    /// The most that was seen of each kind, in bytes.
    typealias Peak = (anonymous: Int, mapped: Int)

    /// glibc's `malloc_trim`, which its module does not have.
    private static let trim = dlopen(nil, RTLD_NOW).flatMap { dlsym($0, "malloc_trim") }.map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> CInt).self)
    }

    private let state = Mutex<Peak>((0, 0))

    /// Begins to sample, for as long as it lives.
    init() {
        // One reading takes some 50 µs: a four hundredth of a core.
        let thread = Thread { [weak self] in
            while let self {
                self.sample()
                usleep(20_000)
            }
        }
        thread.stackSize = 256 << 10
        thread.start()
    }

    /// Forgets what was seen, and gives back what the process has freed.
    func restart() {
        _ = Self.trim?(0)
        ProcessUsage.resetPeakMemory()
        state.withLock { $0 = (0, 0) }
        sample()
    }

    /// The most that was seen since ``restart()``.
    var peak: Peak {
        sample()
        return state.withLock { $0 }
    }

    private func sample() {
        let now = ProcessUsage.memory
        state.withLock { $0 = (max($0.anonymous, now.anonymous), max($0.mapped, now.mapped)) }
    }
}
