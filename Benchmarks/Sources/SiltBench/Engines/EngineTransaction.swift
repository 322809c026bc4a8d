/// A serializable transaction of one of the engines under test, while its body runs.
protocol EngineTransaction {
    /// Copies the value of a key into memory of the caller's.
    /// - Returns: bytes of the value, of which no more were copied than `memory` holds; nil where the key has none.
    func get(_ key: Bytes, into memory: UnsafeMutableRawBufferPointer) throws -> Int?

    /// Gives a key that has a value another one.
    func update(_ key: Bytes, _ value: Bytes) throws
}

extension EngineTransaction {
    /// Copies as many bytes of a value as there is room for.
    /// - Returns: bytes of the value.
    @inline(__always)
    static func copy(_ value: Bytes, to memory: UnsafeMutableRawBufferPointer) -> Int {
        memory.copyMemory(from: Bytes(rebasing: value[..<min(value.count, memory.count)]))
        return value.count
    }
}

/// The work of a transaction. An engine that meets a conflict runs it again, from its beginning.
///
/// A type, not a closure: the compiler makes it a part of each engine's function.
protocol TransactionBody: AnyObject {
    /// Reads and writes.
    func run<T: EngineTransaction>(_ transaction: T) throws
}

/// How often a body is run at most. An engine with a conflict each time fails.
enum TransactionAttempts {
    static let limit = 100
}
