/// A report of a store with one more member beside its own, for `--json`.
struct ExtendedReport<Store: Encodable, Member: Encodable>: Encodable {
    private let store: Store
    private let name: String
    private let member: Member?

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// - Parameter member: its value; left out if nil.
    init(_ store: Store, _ name: String, _ member: Member?) {
        self.store = store
        self.name = name
        self.member = member
    }

    func encode(to encoder: any Encoder) throws {
        try store.encode(to: encoder)
        var members = encoder.container(keyedBy: Key.self)
        try members.encodeIfPresent(member, forKey: Key(stringValue: name))
    }
}
