import Foundation
import Synchronization

/// The child's progress, in a file that both processes map: what the child has stored there is there however it dies.
///
/// Words of 8 bytes: first those of ``Word``, then for each lane those of ``LaneWord``.
///
/// `@unchecked Sendable`: the words are atomics, and the mapping lives as long as the object.
@safe
final class CrashJournal: @unchecked Sendable {
    /// How far the child has come.
    enum Phase: UInt64 {
        case starting, opening, writing, closing, closed
    }

    /// What the store does beside the lanes.
    enum Activity: Int {
        case flush, compaction, checkpoint
    }

    private enum Word: Int {
        case phase, flushes, compactions, calls, refusals, activities, checkpoint
    }

    private enum LaneWord: Int {
        case begun, acknowledged, floor
    }

    struct SystemError: Error {
        var call: String
        var code: Int32
    }

    private static let length = 4096
    private static let firstLane = 16
    private let words: UnsafeMutableRawPointer

    /// Maps the journal at a path.
    /// - Parameter isNew: whether to make an empty one.
    init(path: String, isNew: Bool) throws {
        let descriptor = unsafe open(path, (isNew ? O_RDWR | O_CREAT | O_TRUNC : O_RDWR) | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw SystemError(call: "open", code: errno) }
        defer { close(descriptor) }
        guard ftruncate(descriptor, off_t(Self.length)) == 0 else { throw SystemError(call: "ftruncate", code: errno) }
        let address = unsafe mmap(nil, Self.length, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)
        guard let address = unsafe address, unsafe address != UnsafeMutableRawPointer(bitPattern: -1) else {
            throw SystemError(call: "mmap", code: errno)
        }
        unsafe words = unsafe address
    }

    deinit { unsafe munmap(words, Self.length) }

    // MARK: Words

    /// The word with an index; ``LockRace`` gives all of them meanings of its own.
    subscript(word index: Int) -> Atomic<UInt64> {
        unsafeAddress {
            precondition(index < Self.length / 8)
            return unsafe UnsafePointer((words + 8 * index).assumingMemoryBound(to: Atomic<UInt64>.self))
        }
    }

    private subscript(_ index: Int) -> UInt64 {
        get { self[word: index].load(ordering: .sequentiallyConsistent) }
        set { self[word: index].store(newValue, ordering: .sequentiallyConsistent) }
    }

    private subscript(_ name: Word) -> UInt64 {
        get { self[name.rawValue] }
        set { self[name.rawValue] = newValue }
    }

    private subscript(_ lane: Int, _ name: LaneWord) -> UInt64 {
        get { self[Self.firstLane + 4 * lane + name.rawValue] }
        set { self[Self.firstLane + 4 * lane + name.rawValue] = newValue }
    }

    private func increase(_ name: Word) {
        self[word: name.rawValue].wrappingAdd(1, ordering: .sequentiallyConsistent)
    }

    // MARK: The process

    var phase: Phase {
        get { Phase(rawValue: self[.phase]) ?? .starting }
        set { self[.phase] = newValue.rawValue }
    }

    /// Flushes that came to their end.
    var flushes: UInt64 { self[.flushes] }

    /// Compactions that came to their end.
    var compactions: UInt64 { self[.compactions] }

    /// File-system calls on names: a clock that runs as fast as the store gets on.
    var calls: UInt64 { self[.calls] }

    func noteCall() { increase(.calls) }

    /// Writes that were refused for want of space, and tried again.
    var refusals: UInt64 { self[.refusals] }

    func noteRefusal() { increase(.refusals) }

    func isActive(_ activity: Activity) -> Bool { self[.activities] & 1 << activity.rawValue != 0 }

    func begin(_ activity: Activity) {
        self[word: Word.activities.rawValue]
            .bitwiseOr(1 << activity.rawValue, ordering: .sequentiallyConsistent)
    }

    func end(_ activity: Activity) {
        guard isActive(activity) else { return }
        self[word: Word.activities.rawValue]
            .bitwiseAnd(~(1 << activity.rawValue), ordering: .sequentiallyConsistent)
        switch activity {
        case .flush: increase(.flushes)
        case .compaction: increase(.compactions)
        case .checkpoint: break
        }
    }

    // MARK: Lanes

    /// How many operations a lane has begun.
    func begun(lane: Int) -> UInt64 { self[lane, .begun] }

    /// How many operations of a lane were acknowledged.
    func acknowledged(lane: Int) -> UInt64 { self[lane, .acknowledged] }

    func begin(lane: Int) { self[lane, .begun] &+= 1 }

    func acknowledge(lane: Int) { self[lane, .acknowledged] &+= 1 }

    /// The number of the checkpoint that the floors are of, and one; 0 while there is none.
    var checkpoint: UInt64 { self[.checkpoint] }

    /// How many operations of a lane had been acknowledged when the last checkpoint began.
    func floor(lane: Int) -> UInt64 { self[lane, .floor] }

    /// Takes down what the checkpoint that is about to be made must hold.
    func noteFloors(lanes: Int, checkpoint: UInt64) {
        // Death may come in between, and then they are nobody's.
        self[.checkpoint] = 0
        defer { self[.checkpoint] = checkpoint + 1 }
        for lane in 0..<lanes { self[lane, .floor] = self[lane, .acknowledged] }
    }
}
