/// An account as it lies in a value: at the front its number, its balance and how many transfers it took part in, at the
/// back a check of these; between them text.
struct Account: Equatable {
    var number: Int
    /// May be below zero: so the end is the same in whatever order transfers are made.
    var balance: Int
    var transfers = 0

    /// The least bytes of a value.
    static let leastBytes = 32
    /// What every account has at first.
    static let initialBalance = 1000

    /// A new one.
    init(number: Int) { (self.number, balance) = (number, Self.initialBalance) }

    /// The text between the ends of a value.
    static func text(of value: Bytes) -> Bytes { Bytes(rebasing: value[24..<value.count - 8]) }

    /// Reads a value.
    /// - Returns: nil where that is no account, or a torn one.
    @inline(__always)
    init?(_ value: Bytes) {
        guard value.count >= Self.leastBytes else { return nil }
        number = value.loadUnaligned(as: Int.self)
        balance = value.loadUnaligned(fromByteOffset: 8, as: Int.self)
        transfers = value.loadUnaligned(fromByteOffset: 16, as: Int.self)
        guard value.loadUnaligned(fromByteOffset: value.count &- 8, as: UInt64.self) == check else { return nil }
    }

    /// Writes it over both ends of a value, and leaves the text.
    @inline(__always)
    func store(in value: UnsafeMutableRawBufferPointer) {
        value.storeBytes(of: number, as: Int.self)
        value.storeBytes(of: balance, toByteOffset: 8, as: Int.self)
        value.storeBytes(of: transfers, toByteOffset: 16, as: Int.self)
        value.storeBytes(of: check, toByteOffset: value.count &- 8, as: UInt64.self)
    }

    /// Puts an amount in, or takes it out where it is below zero.
    @inline(__always)
    mutating func add(_ amount: Int) {
        balance &+= amount
        transfers &+= 1
    }

    /// Hangs on every bit of it.
    @inline(__always)
    var check: UInt64 {
        func bits(_ number: Int) -> UInt64 { UInt64(truncatingIfNeeded: number) }
        return mixed(bits(number) ^ mixed(bits(balance) ^ mixed(bits(transfers))))
    }
}
