/// The number of rows or records of the next page. It keeps the bytes of a page in memory within a limit, as far as the
/// largest row of the page before tells.
struct PageLimit {
    /// The bytes that a page should have.
    static let bytes = 8 << 20
    /// The first page is small: nothing is known of its rows.
    private static let first = 16

    private let most: Int
    private(set) var count: Int

    init(most: Int) {
        self.most = most
        count = min(most, Self.first)
    }

    /// Chooses the next page.
    /// - Parameter largest: the bytes of the largest row of the last page.
    mutating func adapt(largest: Int) { count = max(1, min(most, 2 * count, Self.bytes / max(1, largest))) }
}
