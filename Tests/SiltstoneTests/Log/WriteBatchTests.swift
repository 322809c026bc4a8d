import Testing

@testable import Siltstone

extension WriteBatch {
    /// The changes as they stand in the log.
    var payload: [UInt8] { withPayload { [UInt8]($0) } }
}

/// Batches and changes.
struct WriteBatchTests {
    @Test("a batch holds its changes in order, as they stand in the log")
    func roundTrip() throws {
        var batch = WriteBatch()
        #expect(batch.isEmpty)
        batch.put("key".utf8, [1, 2, 3])
        batch.put([UInt8](), [UInt8]())
        batch.delete("gone".utf8)
        batch.deleteRange(from: "a".utf8, to: "b".utf8)
        let long = [UInt8](repeating: 5, count: 70_000)
        batch.put(long[10...], long)
        #expect(batch.count == 5)
        #expect(batch.byteCount == batch.payload.count)
        let changes = try DecodedChange.all(batch.payload, firstSequence: 10)
        #expect(
            changes == [
                DecodedChange(kind: .value, key: Array("key".utf8), value: [1, 2, 3], sequence: 10),
                DecodedChange(kind: .value, key: [], value: [], sequence: 11),
                DecodedChange(kind: .tombstone, key: Array("gone".utf8), value: [], sequence: 12),
                DecodedChange(kind: .rangeTombstone, key: Array("a".utf8), value: Array("b".utf8), sequence: 13),
                DecodedChange(kind: .value, key: Array(long[10...]), value: long, sequence: 14),
            ])
    }

    @Test("the encoding is the one that the format describes")
    func golden() {
        var batch = WriteBatch()
        batch.put("k".utf8, [UInt8](repeating: 7, count: 200))
        batch.delete("kk".utf8)
        let expected: [UInt8] = [1, 1, 0xc8, 1, 0x6b] + [UInt8](repeating: 7, count: 200) + [2, 2, 0, 0x6b, 0x6b]
        #expect(batch.payload == expected)
    }

    @Test("every way to hand over bytes gives the same batch")
    func sources() {
        let (key, value) = (Array("some key".utf8), Array("some value".utf8))
        var arrays = WriteBatch()
        arrays.put(key, value)
        arrays.delete(key)
        arrays.deleteRange(from: key, to: value)
        var spans = WriteBatch()
        let (keySpan, valueSpan) = (key.span.bytes, value.span.bytes)
        spans.put(keySpan, valueSpan)
        spans.delete(keySpan)
        spans.deleteRange(from: keySpan, to: valueSpan)
        #expect(spans.payload == arrays.payload)
        var scattered = WriteBatch()
        // Neither has contiguous storage.
        scattered.put(key.reversed().reversed(), repeatElement(0, count: 10).enumerated().map { value[$0.offset] })
        scattered.delete(key.lazy.map { $0 })
        scattered.deleteRange(from: key.lazy.map { $0 }, to: value.lazy.map { $0 })
        #expect(scattered.payload == arrays.payload)
    }

    @Test("a range that holds no key is no change")
    func emptyRange() {
        var batch = WriteBatch()
        batch.deleteRange(from: "b".utf8, to: "b".utf8)
        batch.deleteRange(from: "b".utf8, to: "a".utf8)
        #expect(batch.isEmpty && batch.byteCount == 0)
    }

    @Test("a copy does not see later changes, and an emptied batch starts anew")
    func valueSemantics() throws {
        var batch = WriteBatch()
        batch.put("a".utf8, [1])
        let copy = batch
        batch.removeAll()
        batch.reserveCapacity(100)
        batch.delete("b".utf8)
        #expect(copy.count == 1 && batch.count == 1)
        #expect(try DecodedChange.all(copy.payload).map(\.kind) == [.value])
        #expect(try DecodedChange.all(batch.payload).map(\.kind) == [.tombstone])
    }

    @Test("a payload that is cut off gives a prefix of its changes, then an error")
    func cutOffPayload() throws {
        var batch = WriteBatch()
        for index in 0..<20 { batch.put("key \(index)".utf8, [UInt8](repeating: 1, count: index * 20)) }
        let whole = try DecodedChange.all(batch.payload)
        for length in 0..<batch.byteCount {
            var found: [DecodedChange] = []
            let part = Array(batch.payload.prefix(length))
            part.withBytes { bytes in
                var reader = ChangeReader(bytes, firstSequence: 1)
                do throws(MalformedChange) {
                    while let record = try reader.next() {
                        found.append(
                            DecodedChange(
                                kind: record.kind, key: Array(record.key), value: Array(record.value),
                                sequence: record.sequence))
                    }
                    #expect(reader.offset == length)
                } catch {
                    #expect(error.offset == reader.offset)
                    #expect(throws: MalformedChange.self) { _ = try reader.next() }
                }
            }
            #expect(found == Array(whole.prefix(found.count)))
        }
    }

    @Test("no payload makes the reader trap or read outside", arguments: 0..<20)
    func garbage(_ seed: Int) {
        var generator = SeededGenerator(UInt64(seed))
        for _ in 0..<500 {
            var bytes = generator.bytes(Int.random(in: 0..<60, using: &generator))
            if !bytes.isEmpty { bytes[0] = UInt8.random(in: 0...5, using: &generator) }
            bytes.withBytes { payload in
                var reader = ChangeReader(payload, firstSequence: .greatest)
                var used = 0
                do throws(MalformedChange) {
                    while let record = try reader.next() { used += record.key.count + record.value.count }
                } catch {}
                #expect(used <= payload.count)
            }
        }
    }

    @Test(
        "kinds whose value has one length only are refused with another",
        arguments: [[2, 1, 1, 65, 66], [3, 1, 1, 65, 66], [0, 0, 0], [5, 0, 0]] as [[UInt8]])
    func implausible(_ payload: [UInt8]) {
        #expect(throws: MalformedChange(offset: 0)) { _ = try DecodedChange.all(payload) }
    }
}
