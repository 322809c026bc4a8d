/// Compares the entries of a scan with a ledger.
final class Auditor: EntryVisitor {
    private let ledger: Ledger
    private let keys = KeyMaker(.decimal)
    private let values: ValueMaker
    private let valueBytes: Int
    private var count = 0
    private var total = 0
    private var transfers = 0
    private var first: String?

    init(_ ledger: Ledger, valueBytes: Int) {
        self.ledger = ledger
        self.valueBytes = valueBytes
        values = ValueMaker(byteCount: valueBytes)
    }

    func visit(_ key: Bytes, _ value: Bytes) {
        let number = count
        count += 1
        guard value.count == valueBytes, let account = Account(value) else {
            return note("account \(number) has a torn value")
        }
        total &+= account.balance
        transfers &+= account.transfers
        guard number < ledger.accounts.count else { return note("an account that was never opened") }
        guard account.number == number, keys.key(number).elementsEqual(key) else {
            return note("a value of another account under the key of \(number)")
        }
        // No transfer changes the text.
        let text = Account.text(of: values.value(Stamp(index: number, generation: 1)))
        guard Account.text(of: value).elementsEqual(text) else { return note("account \(number) has another text") }
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
