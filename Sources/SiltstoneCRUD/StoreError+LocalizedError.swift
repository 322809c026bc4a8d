public import Foundation
public import Siltstone

extension StoreError: LocalizedError {
    /// The store's message, with the file and the offset if they are known.
    public var errorDescription: String? { description }
}
