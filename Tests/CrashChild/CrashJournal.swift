import Foundation
import Synchronization

/// The child's progress, in a file that both processes map: what the child has stored there is there however it dies.
///
/// A word for the phase, two for the counts of flushes and compactions, then for each lane two words: how many
/// operations it has begun, and how many of these were acknowledged.
///
/// `@unchecked Sendable`: the words are atomics, and the mapping lives as long as the object.
final class CrashJournal: @unchecked Sendable {
    /// How far the child has come.
    enum Phase: UInt64 {
        case starting, opening, writing, closing, closed
    }

    struct SystemError: Error {
        var call: String
        var code: Int32
    }

    private static let length = 4096
    private let words: UnsafeMutableRawPointer

    /// Maps the journal at a path.
    /// - Parameter isNew: whether to make an empty one.
    init(path: String, isNew: Bool) throws {
        let descriptor = open(path, isNew ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR, 0o644)
        guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(Self.length)) == 0 else { throw SystemError(call: "ftruncate", code: errno) }
        let address = mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address, address != UnsafeMutableRawPointer(bitPattern: -1) else {
            throw SystemError(call: "mmap", code: errno)
        }
        words = address
    }

    deinit { munmap(words, Self.length) }

    private subscript(_ index: Int) -> UInt64 {
        get { word(index).pointee.load(ordering: .sequentiallyConsistent) }
        set { word(index).pointee.store(newValue, ordering: .sequentiallyConsistent) }
    }

    private func word(_ index: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        precondition(index < Self.length / 8)
        return (words + 8 * index).assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    var phase: Phase {
        get { Phase(rawValue: self[0]) ?? .starting }
        set { self[0] = newValue.rawValue }
    }

    var flushes: UInt64 {
        get { self[1] }
        set { self[1] = newValue }
    }

    var compactions: UInt64 {
        get { self[2] }
        set { self[2] = newValue }
    }

    /// How many operations a lane has begun.
    func begun(lane: Int) -> UInt64 { self[8 + 2 * lane] }

    /// How many operations of a lane were acknowledged.
    func acknowledged(lane: Int) -> UInt64 { self[9 + 2 * lane] }

    func begin(lane: Int) { self[8 + 2 * lane] &+= 1 }

    func acknowledge(lane: Int) { self[9 + 2 * lane] &+= 1 }
}
