/// Numbers that are the same in each run of a seed (SplitMix64).
public struct SeededNumbers: RandomNumberGenerator {
    private var state: UInt64

    /// Numbers from a seed.
    public init(_ seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number from 0 up to, not including, `count`, which is above 0.
    public mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &self) }
    /// True in so many of a hundred cases.
    public mutating func chance(_ percent: Int) -> Bool { below(100) < percent }
    /// One of the items, of which there is one at least.
    public mutating func pick<T>(_ items: [T]) -> T { items[below(items.count)] }
    /// Some of the items in any order: `count`, or all where there are fewer.
    public mutating func some<T>(_ items: [T], atMost count: Int) -> [T] {
        Array(items.shuffled(using: &self).prefix(count))
    }
}
