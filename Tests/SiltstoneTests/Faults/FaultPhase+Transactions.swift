import SiltstoneTesting
import Testing

@testable import Siltstone

extension FaultPhase {
    /// Transactions: some committed at once, one that is open across a flush, so that its commit reads segments.
    static let transactions = FaultPhase(
        name: "transactions", image: { try settled($0) },
        action: { run in
            let (small, large) = (FaultRun.value(200, 50), FaultRun.value(201, 2600))
            commit(
                run,
                { model in
                    model[key(200)] = small
                    model[key(201)] = large
                    model[key(3)] = nil
                    model.deleteRange(key(14), key(16))
                }
            ) { transaction throws(StoreError) in
                _ = try transaction.get(key(200))
                try transaction.put(key(200), small)
                try transaction.delete(key(3))
                try transaction.put(key(201), large)
                try transaction.deleteRange(from: key(14), to: key(16))
            }
            guard let store = run.store else { return }
            // Reads more than the check under the lock takes.
            let open = store.begin()
            let isRead = run.attempt { () throws(StoreError) in
                for number in 300..<340 { _ = try open.get(key(number)) }
                let cursor = try open.scan(from: key(20), to: key(30))
                while try cursor.next() != nil {}
                try open.put(key(202), small)
            }
            run.put(100, 120)
            run.attempt { () throws(StoreError) in try store.flush() }
            run.put(101, 120)
            if case .success = isRead {
                run.change({ $0[key(202)] = small }) { _ throws(StoreError) in try open.commit() }
            } else {
                open.rollback()
            }
            commitAgainst(run)
            commit(run, { $0[key(203)] = small }) { transaction throws(StoreError) in
                try transaction.put(key(203), small)
            }
        })

    /// Commits a transaction, and takes down what may have become of it: nothing where it fails before its commit.
    private static func commit(
        _ run: FaultRun, _ model: (inout StoreModel) -> Void, _ body: (Transaction) throws(StoreError) -> Void
    ) {
        guard let store = run.store else { return }
        let transaction = store.begin()
        if case .failure = run.attempt({ () throws(StoreError) in try body(transaction) }) {
            return transaction.rollback()
        }
        run.change(model) { _ throws(StoreError) in try transaction.commit() }
    }

    /// A transaction that must conflict, if the write that it has missed took place.
    private static func commitAgainst(_ run: FaultRun) {
        guard let store = run.store else { return }
        let transaction = store.begin()
        let isRead = run.attempt { () throws(StoreError) in
            _ = try transaction.get(key(210))
            try transaction.put(key(211), FaultRun.value(211, 70))
        }
        guard case .success = isRead, run.put(210, 60) else { return transaction.rollback() }
        do throws(StoreError) {
            try transaction.commit()
            Issue.record("no conflict; \(run.comment)")
        } catch {
            // Whatever it is told instead: nothing is written.
            if error.code != .conflict { run.attempt { () throws(StoreError) in throw error } }
        }
    }
}
