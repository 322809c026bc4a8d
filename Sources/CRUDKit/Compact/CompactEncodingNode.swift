import Foundation

/// The encoder of one value: its place in the output, and its state.
final class CompactEncodingNode: Encoder {
    /// The kind of value encoded so far.
    private enum Shape { case none, map, array, scalar }

    let message: CompactMessage
    let output: CompactOutput
    private let parent: CompactEncodingNode?
    /// The coding path if there is no parent: the parent's output retains a deferred container, which must not retain it.
    private let base: [any CodingKey]
    private let step: CompactStep
    private let depth: Int
    private var shape = Shape.none
    private var isFinished = false
    /// The offset of the map's tag.
    private var start = 0
    /// The number of the previous key; −1 at first.
    private var previousKey = -1
    /// The keys so far: numbers below 64 as bits, others in a set.
    private var fewKeys: UInt64 = 0
    private var moreKeys: Set<Int> = []
    /// The number of elements of the array so far.
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

    /// An error for the value at a path.
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

    /// This node as a map or array, opened on first use. A type and its superclass may open the same container.
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

    /// Begins a value that is neither map nor array.
    func beginScalar() throws {
        guard shape == .none else { throw invalid(codingPath, "A value was encoded a second time.") }
        shape = .scalar
    }

    /// Undoes ``beginScalar()`` after the value failed.
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

    /// Records a key with a large number or one that is repeated.
    private func noteUnusualKey(_ number: Int) {
        let isNew = number >= 64 && moreKeys.insert(number).inserted
        if !isNew { output.replace(at: start, with: CompactTag.mapWithRepetition) }
    }

    /// Begins an element of the array.
    @inline(__always)
    func beginElement() { count &+= 1 }

    /// Encodes an entry or an element; writes nothing if that fails.
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

    /// A container at this place that accepts writes until the message ends.
    func deferred(_ step: CompactStep) -> CompactEncodingNode {
        let child = detached(step)
        if depth >= CompactFormat.maximumDepth { message.fail(Self.tooDeep, at: child) }
        output.insert(child)
        return child
    }

    /// A node with its own output, which is inserted later or dropped.
    private func detached(_ step: CompactStep = .root) -> CompactEncodingNode {
        let output = CompactOutput(capacity: 64)
        return CompactEncodingNode(message, output: output, base: codingPath, step: step, depth: depth + 1)
    }

    /// A node for a value that is encoded immediately, into the same output.
    func child(_ step: CompactStep) throws -> CompactEncodingNode {
        // A value that stands for this one, such as an optional or a raw value, is not nested deeper.
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
