/// An amount to be moved from one account to another.
struct Transfer: Equatable {
    var from, to, amount: Int
}

/// The transfers of a thread, in order. Run again, it gives the same: that is how results are checked.
struct TransferStream {
    private var random: RandomSource
    private let accounts: Int

    /// - Parameters:
    ///   - accounts: two at least. All threads draw from all of them.
    ///   - thread: its number.
    init(accounts: Int, thread: Int) {
        self.accounts = accounts
        random = RandomSource(.transfers, stream: thread)
    }

    /// Two accounts that are not the same, and an amount.
    @inline(__always)
    mutating func next() -> Transfer {
        let from = random.below(accounts)
        let other = random.below(accounts &- 1)
        return Transfer(from: from, to: other < from ? other : other &+ 1, amount: 1 &+ random.below(100))
    }
}
