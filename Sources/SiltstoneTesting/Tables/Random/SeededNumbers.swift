/// Random numbers that depend on a seed only (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Creates a generator.
    public init(_ seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 up to but not including `count`, which must be above 0.
    public mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
    /// True with this probability, in percent.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    /// A random item. `items` must not be empty.
    public mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }
    /// At most `count` random items, in random order.
    public mutating func some<T>(_ items: [T], atMost count: Int) -> [T] {
        Array(items.shuffled(using: &self).prefix(count))
    }
}
