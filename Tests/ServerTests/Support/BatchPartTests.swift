#if PostgreSQL || MySQL || SQLite
import Testing

@testable import TableSQL

struct BatchPartTests {
    private func parts(_ sizes: [Int]) -> [[Int]] {
        var parts: [[Int]] = []
        var rest = sizes[...]
        while !rest.isEmpty {
            let part = rest.firstPart { $0 }
            rest = rest[part.endIndex...]
            parts.append(Array(part))
        }
        return parts
    }

    @Test("keep within 8 MiB; a larger element is a part of its own")
    func bytes() {
        let mebibyte = 1 << 20
        #expect(parts([7 * mebibyte, 13 * mebibyte, 1]) == [[7 * mebibyte], [13 * mebibyte], [1]])
        #expect(parts([4 * mebibyte, 4 * mebibyte, 1]) == [[4 * mebibyte, 4 * mebibyte], [1]])
    }

    @Test("have at most a thousand elements")
    func elements() {
        #expect(parts([Int](repeating: 1, count: 2001)).map(\.count) == [1000, 1000, 1])
        #expect(parts([]).isEmpty)
    }
}
#endif
