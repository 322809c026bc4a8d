import Testing

@testable import SiltstoneTables

struct RowSorterTests {
    @Test(
        "the memory limit of a sort counts what it keeps beside the bytes of the rows; the order is the same on disk",
        arguments: [30_000, 1 << 20])
    func limit(_ mostBytes: Int) throws {
        let count = 1_000
        var sorter = RowSorter(mostBytes: mostBytes)
        for number in 0..<count {
            let mixed = number * 7 % count
            let key: [UInt8] = [UInt8(mixed >> 8), UInt8(mixed & 255)]
            try sorter.add([], key.span.bytes, [UInt8]().span.bytes)
        }
        // 2,000 bytes of rows, and more than 30 for each of them.
        #expect(sorter.hasSpilled == (mostBytes == 30_000))
        var found: [Int] = []
        try sorter.finish().forEach { key, _ in
            found.append(key.withUnsafeBytes { Int($0[0]) << 8 | Int($0[1]) })
            return true
        }
        #expect(found == Array(0..<count))
    }
}
