import Foundation

extension CompactDecodingNode {
    private func context(_ step: CompactStep, _ problem: String) -> DecodingError.Context {
        DecodingError.Context(codingPath: codingPath + (step.codingKey.map { [$0] } ?? []), debugDescription: problem)
    }

    /// The value at `offset` does not have the requested type.
    @inline(never)
    func mismatch(_ type: Any.Type, at offset: Int, _ step: CompactStep) -> DecodingError {
        let kind = kind(at: offset)
        let problem = "Expected \(type) but found \(kind)."
        return input.bytes[offset] == CompactTag.null
            ? .valueNotFound(type, context(step, problem)) : .typeMismatch(type, context(step, problem))
    }

    /// The value has the right kind but cannot be represented in the type.
    @inline(never)
    func corrupted(_ problem: String, _ step: CompactStep) -> DecodingError {
        .dataCorrupted(context(step, problem))
    }

    /// The map has no entry for the key.
    @inline(never)
    func missing(_ key: any CodingKey) -> DecodingError {
        .keyNotFound(key, context(.root, "There is no value for the key \"\(key.stringValue)\"."))
    }

    /// The array has no more elements.
    @inline(never)
    func atEnd(_ type: Any.Type, _ step: CompactStep) -> DecodingError {
        .valueNotFound(type, context(step, "The array has no more elements."))
    }

    /// The kind of the value at `offset`, in words.
    private func kind(at offset: Int) -> String {
        switch input.bytes[offset] {
        case CompactTag.firstShortString...CompactTag.lastShortString, CompactTag.string: "a string"
        case CompactTag.null: "null"
        case CompactTag.false, CompactTag.true: "a Boolean"
        case CompactTag.array: "an array"
        case CompactTag.map, CompactTag.mapWithRepetition: "a structure or dictionary"
        case CompactTag.bytes: "data"
        case CompactTag.uuid: "a UUID"
        default: "a number"
        }
    }
}
