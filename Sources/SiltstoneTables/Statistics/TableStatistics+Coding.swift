import TableKit

// The bytes are described in Docs/Format.md, "Statistics".

extension TableStatistics {
    private static let format: UInt8 = 1

    /// The encoded statistics, as stored.
    var encoded: [UInt8] {
        var out = CatalogueWriter()
        out.byte(Self.format)
        out.number(UInt64(rows))
        out.list(indexes.sorted { $0.key < $1.key }) { out, index in
            out.number(index.key)
            index.value.write(to: &out)
        }
        return out.bytes
    }

    /// Decodes statistics. Returns nil for an unknown format or damaged bytes: statistics are only hints.
    convenience init?(_ bytes: [UInt8]) {
        do throws(CRUDDecoderError) {
            var input = CatalogueReader(bytes)
            guard try input.byte() == Self.format else { return nil }
            let rows = try input.count()
            let indexes = try input.list { input throws(CRUDDecoderError) in
                (try input.number(), try IndexStatistics(&input))
            }
            try input.end()
            self.init(rows: rows, indexes: Dictionary(indexes, uniquingKeysWith: { first, _ in first }))
        } catch { return nil }
    }
}

extension IndexStatistics {
    fileprivate func write(to out: inout CatalogueWriter) {
        out.number(UInt64(entries))
        out.number(UInt64(nulls))
        out.list(distinct) { $0.number(UInt64($1)) }
        out.list(common) { out, common in
            out.raw(common.value)
            out.number(UInt64(common.entries))
        }
        out.list(bounds) { $0.raw($1) }
    }

    fileprivate init(_ input: inout CatalogueReader) throws(CRUDDecoderError) {
        entries = try input.count()
        nulls = try input.count()
        distinct = try input.list { input throws(CRUDDecoderError) in try input.count() }
        common = try input.list { input throws(CRUDDecoderError) in
            Common(value: Array(try input.raw()), entries: try input.count())
        }
        bounds = try input.list { input throws(CRUDDecoderError) in Array(try input.raw()) }
    }
}

extension CatalogueReader {
    /// Reads a number of rows or entries.
    fileprivate mutating func count() throws(CRUDDecoderError) -> Int {
        guard let count = Int(exactly: try number()), count < 1 << 60 else { throw damaged }
        return count
    }
}
