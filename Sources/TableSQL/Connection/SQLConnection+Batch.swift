extension SQLConnection {
    /// Runs `body` on successive parts of a batch, in one transaction. Rolls back if `body` returns an identifier, and
    /// returns that identifier.
    /// - Parameter bytes: the size of an element in a statement. A part has at most 1000 elements and, unless it is one
    ///   element, 8 MiB.
    package func inOneTransaction<E>(
        _ all: ArraySlice<E>, bytes: (E) -> Int, _ body: (ArraySlice<E>) throws -> String?
    ) throws -> String? {
        guard !all.isEmpty else { return nil }
        try executeLater(SQLStatement("BEGIN"))
        do {
            var rest = all
            while !rest.isEmpty {
                let part = rest.firstPart(bytes)
                rest = rest[part.endIndex...]
                if let id = try body(part) {
                    _ = try execute(SQLStatement("ROLLBACK"))
                    return id
                }
            }
        } catch {
            // The first error is thrown. If the rollback fails too, the connection is closed.
            if isUsable {
                do { _ = try execute(SQLStatement("ROLLBACK")) } catch { close() }
            }
            throw error
        }
        _ = try execute(SQLStatement("COMMIT"))
        return nil
    }
}

extension ArraySlice {
    /// Half of the longest statement of MariaDB, if that is set as usual: a statement has more than its elements.
    private static var maximumBytes: Int { 8 << 20 }

    func firstPart(_ bytes: (Element) -> Int) -> ArraySlice<Element> {
        var sum = 0
        var end = startIndex
        while end < endIndex, end - startIndex < 1000 {
            sum += bytes(self[end])
            // A large element behind small ones begins a part of its own.
            if sum > Self.maximumBytes, end > startIndex { break }
            end += 1
        }
        return self[..<end]
    }
}
