import Synchronization
import Testing

@testable import Siltstone

struct TreeNodeTests {
    private func digest(_ bytes: [UInt8], after skip: Int) -> UInt64 {
        bytes.withBytes { SearchKey($0).digest(after: skip) }
    }

    @Test("the order of digests is the order of keys, at every length and skip")
    func digestOrder() {
        var generator = MemTableModel.Generator(seed: 3)
        for skip in 0..<20 {
            let prefix = (0..<skip).map { UInt8($0) }
            let keys = (0..<300).map { _ in prefix + MemTableModel.awkwardKey(&generator) }
                .sorted { $0.precedes($1) }
            for (a, b) in zip(keys, keys.dropFirst()) {
                #expect(digest(a, after: skip) <= digest(b, after: skip))
            }
        }
    }

    @Test("a digest is the bytes behind the skip, padded with zeros")
    func digestBytes() {
        let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
        #expect(digest(bytes, after: 0) == 0x0102_0304_0506_0708)
        #expect(digest(bytes, after: 2) == 0x0304_0506_0708_090a)
        #expect(digest(bytes, after: 7) == 0x0809_0a00_0000_0000)
        #expect(digest(bytes, after: 10) == 0)
        #expect(digest(bytes, after: 11) == 0)
        #expect(digest([1, 2, 3], after: 1) == 0x0203_0000_0000_0000)
        #expect(digest([], after: 0) == 0)
    }

    @Test("nodes fill whole cache lines")
    func sizes() {
        #expect(TreeNode.leafSize % 64 == 0)
        #expect(TreeNode.innerSize % 64 == 0)
        #expect(TreeNode.capacity % TreeNode.slotsPerLine == 0)
    }

    @Test("a tree of full height has its fences, counts and digests in order", arguments: 1...3)
    func invariants(seed: UInt64) throws {
        var generator = MemTableModel.Generator(seed: seed)
        let table = try MemTable(capacity: 32 << 20, pool: nil)
        for sequence in 1...UInt64(60_000) {
            let random = withUnsafeBytes(of: generator.next().bigEndian) { Array($0) }
            table.insert(seed == 1 ? MemTableModel.awkwardKey(&generator) : random, [], sequence)
        }
        let root = table.state.value.root.load(ordering: .relaxed)
        #expect(root >> 32 >= 1)
        try check(table, ArenaReference(truncatingIfNeeded: root), level: Int(root >> 32), isLast: true)
    }

    @Test("a node at the edge of the tree skips the prefix of its own keys, not that of the node that was there before")
    func changedPrefix() throws {
        let table = try MemTable(capacity: 32 << 20, pool: nil)
        let leaf = TreeNode.capacity
        // These fill all children of an inner node. The next leaf begins another one, which copies the prefix.
        let users = leaf * (leaf + 1)
        for number in 0...users + 6 * leaf {
            let (name, rest) = number < users ? ("user:", number) : ("video:", number - users)
            table.insert(Array((name + String(100_000_000 + rest)).utf8), [], UInt64(number + 1))
        }
        let root = table.state.value.root.load(ordering: .relaxed)
        try #require(root >> 32 == 2)
        let top = table.node(ArenaReference(truncatingIfNeeded: root))
        let last = table.node(top.child(top.count))
        let digests = (0..<last.count).map { last.digest($0) }
        #expect(digests.count == 7)
        #expect(zip(digests, digests.dropFirst()).allSatisfy { $0 < $1 })
    }

    private func check(_ table: MemTable, _ reference: ArenaReference, level: Int, isLast: Bool) throws {
        let node = table.node(reference)
        let half = TreeNode.capacity / 2
        // What the bound of `hasRoom` stands on.
        if !isLast { #expect(node.count >= (level == 0 ? half : half - 1)) }
        for index in 0..<node.count {
            let key = table.entry(node.reference(index)).key
            #expect(node.digest(index) == node.digest(of: key, in: table.base))
            if index > 0 { #expect(table.entry(node.reference(index - 1)).key.compare(to: key) < 0) }
            if node.lowFence != 0 { #expect(table.entry(node.lowFence).key.compare(to: key) <= 0) }
            if node.highFence != 0 { #expect(key.compare(to: table.entry(node.highFence).key) < 0) }
        }
        for index in node.count..<TreeNode.capacity { try #require(node.digest(index) == .max) }
        if level == 0 { return }
        for index in 0...node.count {
            let child = node.child(index)
            try #require(child != 0)
            if index > 0 {
                #expect(
                    table.entry(table.node(child).lowFence).key.compare(to: table.entry(node.reference(index - 1)).key)
                        == 0)
            }
            try check(table, child, level: level - 1, isLast: isLast && index == node.count)
        }
    }
}
