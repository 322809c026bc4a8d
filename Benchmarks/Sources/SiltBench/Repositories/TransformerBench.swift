import CRUDKit
import Foundation

/// Measures the formats of items alone: encoding and decoding, no repository behind.
struct TransformerBench {
    private let order: WorkerOrder

    init(_ order: WorkerOrder) { self.order = order }

    private static let transformers: [(name: String, transformer: any DataTransformer)] = [
        ("JSON", JSONDataTransformer()), ("XML", XMLDataTransformer()),
        ("property-list", BinaryPropertyListDataTransformer()), ("compact", CompactDataTransformer()),
    ]

    /// Runs both directions of each.
    /// - Throws: ``BenchmarkError`` where an item comes back changed.
    func run(_ report: (Measurement) throws -> Void) throws {
        let count = order.section.count
        for (name, transformer) in Self.transformers {
            let (encoding, decoding) = try Blocking.wait { try await Self.times(transformer, count) }
            for (direction, record) in [("encode", encoding), ("decode", decoding)] {
                try report(
                    Measurement(
                        engine: order.engine, label: order.section.label("\(direction):\(name)"), round: order.round,
                        records: [record]))
            }
        }
    }

    private static func times(
        _ transformer: any DataTransformer, _ count: Int
    ) async throws -> (ThreadRecord, ThreadRecord) {
        let items = (0..<count).map { Customer($0) }
        // The first of each kind finds nothing in the caches, nor in the runtime's.
        for item in items.prefix(100) {
            let _: Customer = try await transformer.decode(data: try await transformer.encode(item))
        }
        var data: [Data] = []
        data.reserveCapacity(count)
        var encoding = Meter(operations: count)
        encoding.begin()
        for item in items {
            data.append(try await transformer.encode(item))
            encoding.lap()
        }
        var decoding = Meter(operations: count)
        decoding.begin()
        for (i, bytes) in data.enumerated() {
            let item: Customer = try await transformer.decode(data: bytes)
            decoding.lap()
            guard item == items[i] else { throw BenchmarkError("decoded a changed item") }
        }
        return (encoding.record(), decoding.record())
    }
}
