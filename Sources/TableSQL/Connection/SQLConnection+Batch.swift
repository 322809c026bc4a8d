extension SQLConnection {
    /// Runs `body` in one transaction on one part of a batch after the other, and takes all back where it returns an
    /// identifier.
    /// - Parameter bytes: what an element takes of a statement; a part has at most a thousand elements and some 8 MiB.
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
            // The first error counts; a connection whose transaction cannot be ended is not used again.
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
    /// Servers take more in one statement, and should not have to hold it.
    private static var maximumBytes: Int { 8 << 20 }

    fileprivate func firstPart(_ bytes: (Element) -> Int) -> ArraySlice<Element> {
        var sum = 0
        var end = startIndex
        while end < endIndex, end - startIndex < 1000, sum < Self.maximumBytes {
            sum += bytes(self[end])
            end += 1
        }
        return self[..<end]
    }
}
