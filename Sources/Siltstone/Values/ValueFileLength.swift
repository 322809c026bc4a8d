import Synchronization

/// The length of a value file in bytes. The file's writer changes it, and all others read it here: the lengths of all
/// files are needed at each change of the version, and a system call for each of them would take long.
final class ValueFileLength: Sendable {
    private let end: Atomic<Int>

    init(_ bytes: Int) { end = Atomic(bytes) }

    var bytes: Int { end.load(ordering: .acquiring) }

    /// Called by the writer once its last write can be read, or was undone.
    func set(_ bytes: Int) { end.store(bytes, ordering: .releasing) }
}
