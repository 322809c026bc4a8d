extension Sequence<String> {
    /// The texts as sentences of one text, with a full stop between two, whether or not they end with one.
    package var asSentences: String {
        map { $0.hasSuffix(".") ? String($0.dropLast()) : $0 }.joined(separator: ". ")
    }
}
