import Foundation

/// The encoder of one value: a place in the output, and what has been made of it.
final class CompactEncodingNode: Encoder {
    /// What the value turned out to be.
    private enum Shape { case none, map, array, scalar }

    let message: CompactMessage
    let output: CompactOutput
    private let parent: CompactEncodingNode?
    /// The path where there is no parent. A container that is kept by its parent's output must not keep the parent.
    private let base: [any CodingKey]
    private let step: CompactStep
    private let depth: Int
    private var shape = Shape.none
    private var isFinished = false
    /// Where the tag of the map is.
    private var start = 0
    /// The number of the key before; −1 at first.
    private var previousKey = -1
    /// The numbers below 64 of the keys so far, as bits, and the others.
    private var fewKeys: UInt64 = 0
    private var moreKeys: Set<Int> = []
    /// Elements of the array so far.
    private(set) var count = 0

    init(
        _ message: CompactMessage, output: CompactOutput, parent: CompactEncodingNode? = nil,
        base: [any CodingKey] = [], step: CompactStep, depth: Int
    ) {
        self.message = message
        self.output = output
        self.parent = parent
        self.base = base
        self.step = step
        self.depth = depth
    }

    var userInfo: [CodingUserInfoKey: Any] { message.userInfo }

    var codingPath: [any CodingKey] {
        var path = parent?.codingPath ?? base
        if let key = step.codingKey { path.append(key) }
        return path
    }

    /// An error about the value at a path.
    func invalid(_ path: [any CodingKey], _ problem: String) -> EncodingError {
        .invalidValue(Never.self, EncodingError.Context(codingPath: path, debugDescription: problem))
    }

    // MARK: The three kinds of containers

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(CompactKeyedEncodingContainer(node: opened(as: .map)))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        CompactUnkeyedEncodingContainer(node: opened(as: .array))
    }

    func singleValueContainer() -> any SingleValueEncodingContainer {
        CompactSingleValueEncodingContainer(node: self)
    }

    /// This node as a map or array, begun where it was not; a type and its superclass may both ask for the same.
    private func opened(as wanted: Shape) -> CompactEncodingNode {
        if shape == wanted { return self }
        guard shape == .none else {
            message.fail("A value asked for a second container of another kind.", at: self)
            return detached()
        }
        shape = wanted
        start = output.count
        output.write(byte: wanted == .map ? CompactTag.map : CompactTag.array)
        return self
    }

    /// Begins the one value that is neither map nor array.
    func beginScalar() throws {
        guard shape == .none else { throw invalid(codingPath, "A value was encoded a second time.") }
        shape = .scalar
    }

    /// Takes back ``beginScalar()``, after the value failed.
    func cancelScalar() { shape = .none }

    // MARK: Entries

    /// Begins an entry of the map.
    @inline(__always)
    func beginEntry(_ key: some CodingKey) {
        let number = message.keys.number(of: key.stringValue, after: previousKey)
        previousKey = number
        if number < 64, fewKeys & (1 &<< UInt64(number)) == 0 {
            fewKeys |= 1 &<< UInt64(number)
        } else {
            noteUnusualKey(number)
        }
        output.write(varint: UInt64(number) &+ 1)
    }

    /// A key that is one of many, or came before.
    private func noteUnusualKey(_ number: Int) {
        let isNew = number >= 64 && moreKeys.insert(number).inserted
        if !isNew { output.replace(at: start, with: CompactTag.mapWithRepetition) }
    }

    /// Begins an element of the array.
    @inline(__always)
    func beginElement() { count &+= 1 }

    /// Encodes an entry or an element with what belongs to it, or, if that fails, nothing.
    @inline(__always)
    func attempt(_ body: () throws -> Void) throws {
        let mark = output.mark
        let (previousKey, fewKeys, count) = (previousKey, fewKeys, count)
        do {
            try body()
        } catch {
            output.rewind(to: mark)
            (self.previousKey, self.fewKeys, self.count) = (previousKey, fewKeys, count)
            throw error
        }
    }

    /// A container at this place that may be written to as long as the message is.
    func deferred(_ step: CompactStep) -> CompactEncodingNode {
        let child = detached(step)
        if depth >= CompactFormat.maximumDepth { message.fail(Self.tooDeep, at: child) }
        output.insert(child)
        return child
    }

    /// A node whose output goes nowhere, for now or for good.
    private func detached(_ step: CompactStep = .root) -> CompactEncodingNode {
        let output = CompactOutput(capacity: 64)
        return CompactEncodingNode(message, output: output, base: codingPath, step: step, depth: depth + 1)
    }

    /// A node for a value that is encoded in one go, right here.
    func child(_ step: CompactStep) throws -> CompactEncodingNode {
        // A value that stands for this one is no deeper: an optional, or a raw value.
        let depth = if case .root = step { depth } else { depth + 1 }
        let child = CompactEncodingNode(message, output: output, parent: self, step: step, depth: depth)
        guard depth <= CompactFormat.maximumDepth else { throw invalid(child.codingPath, Self.tooDeep) }
        return child
    }

    private static let tooDeep = "Values are nested more than \(CompactFormat.maximumDepth) deep."

    /// Ends the value.
    func finish() {
        guard !isFinished else { return }
        isFinished = true
        switch shape {
        case .scalar: break
        case .map: output.write(byte: 0)
        case .array: output.write(byte: CompactTag.end)
        case .none:
            // A type that encodes nothing is an empty structure, as in JSON.
            output.write(byte: CompactTag.map)
            output.write(byte: 0)
        }
    }
}
