/// Compares the entries of a scan with a ledger.
final class Auditor: EntryVisitor {
    private let ledger: Ledger
    private let keys = KeyMaker(.decimal)
    private var count = 0
    private var total = 0
    private var transfers = 0
    private var first: String?

    init(_ ledger: Ledger) { self.ledger = ledger }

    func visit(_ key: Bytes, _ value: Bytes) {
        let number = count
        count += 1
        guard let account = Account(value) else { return note("account \(number) has a torn value") }
        total += account.balance
        transfers += account.transfers
        guard number < ledger.accounts.count else { return note("an account that was never opened") }
        guard account.number == number, keys.key(number).elementsEqual(key) else {
            return note("a value of another account under the key of \(number)")
        }
        let expected = ledger.accounts[number]
        if account != expected {
            note(
                """
                account \(number) has \(account.balance) after \(account.transfers) transfers \
                instead of \(expected.balance) after \(expected.transfers)
                """)
        }
    }

    private func note(_ text: String) { first = first ?? text }

    /// What is wrong with all that was visited, or nil: first with the sums, which tell most.
    var problem: String? {
        if count != ledger.accounts.count { return "\(count) accounts instead of \(ledger.accounts.count)" }
        if transfers != 2 * ledger.transfers {
            return "\(Double(transfers) / 2) transfers instead of \(ledger.transfers)"
        }
        if total != ledger.total { return "the accounts hold \(total) in all instead of \(ledger.total)" }
        return first
    }
}
