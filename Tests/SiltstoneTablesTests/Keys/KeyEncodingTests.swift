import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// Values in keys.
struct KeyEncodingTests {
    private static let types = ColumnType.allCases

    private func encoded(_ values: [ColumnValue]) -> [UInt8] {
        let key = KeyEncoder()
        for value in values { key.append(value) }
        return key.bytes
    }

    private func order(_ a: [UInt8], _ b: [UInt8]) -> Int {
        a == b ? 0 : a.lexicographicallyPrecedes(b) ? -1 : 1
    }

    private func order(_ a: [ColumnValue], _ b: [ColumnValue]) -> Int {
        for (a, b) in zip(a, b) {
            let order = ColumnValue.order(a, b)
            if order != 0 { return order.signum() }
        }
        return 0
    }

    @Test("the order of bytes is the order of tuples of values", arguments: 0..<8 as Range<UInt64>)
    func tuples(seed: UInt64) {
        var values = RandomValues(seed: seed)
        for _ in 0..<TestForm.count(800, thorough: 4_000) {
            let types = (0...values.random.index(3)).map { _ in Self.types[values.random.index(Self.types.count)] }
            let a = types.map { values.value($0) }, b = types.map { values.value($0) }
            #expect(order(encoded(a), encoded(b)) == order(a, b), "\(a) beside \(b)")
        }
    }

    @Test("values of different kinds have the order of kinds")
    func kinds() {
        var values = RandomValues(seed: 1)
        let kinds: [[ColumnType]] = [[.int64], [.bool], [.date], [.uuid], [.string], [.bytes], [.json]]
        for (number, kind) in kinds.enumerated() {
            for other in kinds[(number + 1)...] {
                for _ in 0..<50 {
                    let a = values.value(kind[0], nulls: false), b = values.value(other[0], nulls: false)
                    #expect(order(encoded([a]), encoded([b])) == -1, "\(a) beside \(b)")
                }
            }
            #expect(order(encoded([.null]), encoded([values.value(kind[0], nulls: false)])) == -1)
        }
    }

    @Test("NaNs of any payload and sign are one key, and so are both zeros")
    func equalReals() {
        let payloads: [UInt64] = [0x7FF8_0000_0000_0000, 0xFFF8_0000_0000_0001, 0x7FF0_0000_0000_0001]
        let keys = payloads.map { encoded([.real(Double(bitPattern: $0))]) }
        #expect(Set(keys).count == 1)
        #expect(order(encoded([.real(.infinity)]), keys[0]) == -1)
        #expect(encoded([.real(-0.0)]) == encoded([.real(0)]))
    }

    @Test("a tuple sorts before those that it begins")
    func prefixes() {
        var values = RandomValues(seed: 3)
        for _ in 0..<2_000 {
            let first = values.value(Self.types[values.random.index(Self.types.count)])
            let key = encoded([first])
            let longer = encoded([first, values.value(.string)])
            #expect(longer.starts(with: key) && order(key, longer) == -1)
        }
    }

    @Test("keys are read back, value for value, and say where each ends")
    func roundTrip() throws {
        var values = RandomValues(seed: 4)
        for _ in 0..<4_000 {
            let types = (0...values.random.index(4)).map { _ in Self.types[values.random.index(Self.types.count)] }
            let tuple = types.map { values.value($0) }
            let key = encoded(tuple)
            let read = try KeyDecoder.values(in: key.span.bytes)
            #expect(same(read, tuple))
            let end = try KeyDecoder.end(ofValues: tuple.count, at: 0, in: key.span.bytes)
            #expect(end == key.count)
        }
    }

    @Test("a row's bytes make the same keys as its values")
    func rows() throws {
        var values = RandomValues(seed: 5)
        let layout = RowLayout(number: 0, types: Self.types)
        for _ in 0..<1_000 {
            let tuple = Self.types.map { values.value($0) }
            var rows = RowBuffer()
            try rows.append(tuple, layout: layout)
            for (slot, value) in zip(layout.slots, tuple) {
                let key = KeyEncoder()
                let isNull = try rows.withRow(0) { try key.append(slot, of: $0) }
                #expect(isNull == value.isNull)
                #expect(key.bytes == encoded([value]), "\(value) of \(slot.type)")
            }
        }
    }

    @Test("random bytes throw or are a key; they never trap", arguments: 0..<4 as Range<UInt64>)
    func randomBytes(seed: UInt64) {
        var values = RandomValues(seed: seed)
        var keys = 0
        for _ in 0..<TestForm.count(4_000, thorough: 20_000) {
            let tags: [UInt8] = [0x05, 0x0B, 0x0C, 0x13, 0x14, 0x1C, 0x1D, 0x21, 0x28, 0x30, 0x40, 0x41, 0, 0xFF]
            var bytes = (0..<values.random.index(12)).map { _ in UInt8(values.random.index(256)) }
            if !bytes.isEmpty { bytes[0] = tags[values.random.index(tags.count)] }
            do {
                let read = try KeyDecoder.values(in: bytes.span.bytes)
                if !read.isEmpty { keys += 1 }
            } catch {
                #expect(error.code == .corrupt)
            }
        }
        #expect(keys > 0)
    }

    @Test("numbers of tables and indexes sort as numbers, and have one form")
    func numbers() throws {
        let numbers: [UInt64] = [0, 1, 247, 248, 255, 256, 65_535, 65_536, 1 << 24, 1 << 40, .max - 1, .max]
        var last: [UInt8] = []
        for number in numbers {
            var bytes: [UInt8] = []
            OrderedVarint.append(number, to: &bytes)
            #expect(last.isEmpty || last.lexicographicallyPrecedes(bytes))
            var offset = 0
            let read = try OrderedVarint.read(bytes.span.bytes, at: &offset)
            #expect(read == number && offset == bytes.count)
            last = bytes
        }
        var offset = 0
        let longer: [UInt8] = [0xF8, 7]
        #expect(throws: CRUDDecoderError.self) { try OrderedVarint.read(longer.span.bytes, at: &offset) }
    }
}
