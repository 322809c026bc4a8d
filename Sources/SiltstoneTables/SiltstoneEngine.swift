import Siltstone
import TableKit

/// Tables in a store.
public final class SiltstoneEngine: Sendable {
    let store: KeyValueStore
    init(_ store: KeyValueStore) { self.store = store }
}
