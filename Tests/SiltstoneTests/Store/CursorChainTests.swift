import Testing

@testable import Siltstone

@Suite struct CursorChainTests {
    @Test("a read that fails skips no range: the next one returns its entries")
    func failure() throws {
        let store = try KeyValueStore.inMemory()
        try store.put("a1".utf8, "".utf8)
        try store.put("b1".utf8, "".utf8)
        var failures = 1
        let ranges = ["a", "b"].map { KeyRange(prefix: $0.utf8) }
        let chain = CursorChain(ranges, .forward, limit: .max) { range throws(StoreError) in
            failures -= 1
            if failures == 0 { throw StoreError(.inputOutput, "a device that fails once") }
            return try store._makeCursor(from: range.from, to: range.to, reverse: false, limit: nil)
        }
        func next() throws(StoreError) -> [UInt8]? {
            try chain.next { cursor throws(StoreError) in try cursor.nextKey() }
        }
        #expect(throws: StoreError.self) { _ = try next() }
        #expect(try next() == Array("a1".utf8))
        #expect(try next() == Array("b1".utf8))
        #expect(try next() == nil)
        try store.close()
    }
}
