import Synchronization

extension MemTableTree {
    /// Largest number of children that are sampled in a node at an end of a range, among the children that are
    /// completely in the range.
    private static let sampleOnPath = 32
    /// Largest number of children that are sampled in a node that is itself completely in the range.
    private static let sampleInside = 4

    /// Estimates the number of keys in a range. The count is exact in the leaves at both ends of the range. Between
    /// them, all children of a node count as if they had the average size of the sampled ones. Leaves are at least half
    /// full, so with one inner level the estimate is off by at most a factor of two. With more levels it can be off by
    /// more, if the sampled children are not typical.
    ///
    /// The estimate may miss keys that a concurrent split moves, and is not repeated for that.
    /// - Complexity: O(4^*h*) leaves for *h* inner levels. Inner nodes are at least half full, with 64 children, so
    ///   this is O(*n*^⅓) in the number of keys.
    func estimateKeys(in range: KeyRange) -> Int {
        let root = state.value.root.load(ordering: .acquiring)
        let (reference, height) = (ArenaReference(truncatingIfNeeded: root), root &>> 32)
        return withContiguousBytes(range.from) { from in
            guard let to = range.to else { return keys(in: reference, height, from: SearchKey(from), to: nil) }
            return withContiguousBytes(to) { to in
                keys(in: reference, height, from: SearchKey(from), to: SearchKey(to))
            }
        }
    }

    /// Returns the estimated number of keys below a node that are at least `from` and less than `to`; nil is no bound.
    /// - Parameter height: number of inner levels from the node down; 0 for a leaf.
    private func keys(in reference: ArenaReference, _ height: UInt64, from: SearchKey?, to: SearchKey?) -> Int {
        // During a split, a child may not exist yet.
        guard reference != 0 else { return 0 }
        let node = TreeNode(reference, in: base)
        guard height > 0 else {
            let first = from.map { node.search($0, in: base).index } ?? 0
            let end = to.map { node.search($0, in: base).index } ?? node.count
            return max(0, end - first)
        }
        let first = from.map { child(of: $0, in: node) } ?? 0
        let last = to.map { child(of: $0, in: node) } ?? node.count
        let isInside = from == nil && to == nil
        if isInside { return sample(node, 0..<node.count + 1, height, Self.sampleInside) }
        if first >= last { return keys(in: node.child(first), height - 1, from: from, to: to) }
        return keys(in: node.child(first), height - 1, from: from, to: nil)
            + sample(node, (first + 1)..<last, height, Self.sampleOnPath)
            + keys(in: node.child(last), height - 1, from: nil, to: to)
    }

    /// Returns the index of the child in whose range a key is.
    private func child(of key: SearchKey, in node: TreeNode) -> Int {
        let position = node.search(key, in: base)
        return position.isExact ? position.index + 1 : position.index
    }

    /// Estimates the number of keys below some children of a node from up to `most` of them.
    private func sample(_ node: TreeNode, _ children: Range<Int>, _ height: UInt64, _ most: Int) -> Int {
        let count = min(children.count, most)
        if count == 0 { return 0 }
        var sum = 0
        for step in 0..<count {
            let index = children.lowerBound + step * children.count / count
            sum += keys(in: node.child(index), height - 1, from: nil, to: nil)
        }
        return sum * children.count / count
    }
}
