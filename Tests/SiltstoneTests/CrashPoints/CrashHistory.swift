import Siltstone

/// A history that is run once and crashed everywhere.
struct CrashHistory: Sendable {
    var name: String
    var configuration: Configuration
    var steps: [HistoryStep]
    /// Whether the feed of changes is looked at after each crash.
    var checksFeed = false

    /// Where the store is. Not in the root, so that its own directory has to become durable.
    static let path = "/data/store"

    static func checkpointPath(_ name: String) -> String { "/data/" + name }

    /// What the store holds before the first step, and after each.
    func models() -> [StoreModel] {
        var models = [StoreModel()]
        for step in steps {
            var next = models[models.count - 1]
            step.apply(to: &next)
            models.append(next)
        }
        return models
    }
}

/// What a store may hold after a crash.
struct CrashExpectation: Sendable {
    /// The step before which everything must be there.
    var floor: Int
    /// The step before which everything must be there if power fails now.
    var durable: Int
    /// The last step of which something may be there.
    var ceiling: Int
    /// Checkpoints that were promised, each with the step that it shows.
    var checkpoints: [String: Int]
}
