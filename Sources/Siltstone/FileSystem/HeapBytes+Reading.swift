extension HeapBytes {
    /// Reads `count` bytes of `file`. The caller bounds `count`, because the memory is allocated first.
    /// - Throws: ``StoreError/Code/corrupt`` if the file ends before them, or the error of a failed read.
    static func read(_ file: any File, offset: Int, count: Int) throws(StoreError) -> HeapBytes {
        let result = HeapBytes(count: count)
        let done = try storeErrors(file.readFully(into: result.buffer, at: offset))
        guard done == count else {
            throw .corrupt("the file ends before the \(count) bytes at this offset", file: file.path, offset: offset)
        }
        return result
    }
}
