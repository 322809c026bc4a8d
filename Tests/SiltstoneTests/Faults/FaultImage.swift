@testable import Siltstone

/// A store as files, from which runs begin, and what it holds.
struct FaultImage: Sendable {
    var files: [String: [UInt8]]
    var model = StoreModel()
    /// Records and changes that a verification counts; set where that is compared.
    var recordCount = 0
    /// What a repair says is gone; set where that is compared.
    var losses: [String] = []
    /// False where not even the directory is there.
    var hasDirectory = true

    /// Nothing at all.
    static let nothing = FaultImage(files: [:], hasDirectory: false)

    /// What the process leaves that dies after `body`.
    static func dead(_ configuration: Configuration, _ body: (KeyValueStore) throws -> Void) throws -> FaultImage {
        try make(configuration, closing: false, body)
    }

    /// What is there after `body` and closing in good order.
    static func closed(_ configuration: Configuration, _ body: (KeyValueStore) throws -> Void) throws -> FaultImage {
        try make(configuration, closing: true, body)
    }

    private static func make(
        _ configuration: Configuration, closing: Bool, _ body: (KeyValueStore) throws -> Void
    ) throws -> FaultImage {
        let fixture = StoreFixture()
        let store = try fixture.open(configuration)
        try body(store)
        store.settle()
        if closing { try store.close() }
        let files = try fixture.contents()
        return FaultImage(files: files, model: try contents(files, configuration))
    }

    /// What a store of these files holds.
    static func contents(_ files: [String: [UInt8]], _ configuration: Configuration) throws -> StoreModel {
        let store = try StoreFixture(contents: files).open(configuration)
        var model = StoreModel()
        for entry in try store.allEntries() { model[entry.key] = entry.value }
        try store.close()
        return model
    }
}
