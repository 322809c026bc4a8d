/// What all accounts should hold.
struct Ledger {
    private(set) var accounts: [Account]

    /// - Parameter count: of new accounts.
    init(count: Int) { accounts = (0..<count).map { Account(number: $0) } }

    mutating func apply(_ transfer: Transfer) {
        accounts[transfer.from].add(-transfer.amount)
        accounts[transfer.to].add(transfer.amount)
    }

    /// The money in all accounts, which no transfer changes.
    var total: Int { accounts.count * Account.initialBalance }

    /// The transfers of all accounts, each of which counts in two of them.
    var transfers: Int { accounts.reduce(0) { $0 + $1.transfers } / 2 }

    /// All of it, in a form that can be compared with other engines'.
    var tally: Tally {
        accounts.reduce(into: Tally()) { tally, account in
            tally.found += 1
            tally.checksum &+= account.check
        }
    }
}
