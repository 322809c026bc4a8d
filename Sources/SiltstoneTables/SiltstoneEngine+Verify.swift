import Siltstone
import TableKit

extension SiltstoneEngine {
    /// Checks rows, indexes and constraints against each other, on one snapshot.
    /// - Parameter progress: called with the share that is done, from 0 to 1.
    /// - Returns: at most 1,000 problems, each as a sentence; empty if there is none.
    /// - Complexity: O(rows · indexes).
    public func verify(progress: ((Double) -> Void)?) throws -> [String] {
        try mappingStoreErrors {
            let snapshot = store.snapshot()
            defer { snapshot.release() }
            let catalogue = try Catalogue.load(from: snapshot, known: nil)
            var verification = TableVerification(snapshot, catalogue)
            let tables = catalogue.ordered
            for (number, table) in tables.enumerated() {
                progress?(Double(number) / Double(tables.count))
                try verification.verify(table)
            }
            progress?(1)
            return verification.problems
        }
    }
}
