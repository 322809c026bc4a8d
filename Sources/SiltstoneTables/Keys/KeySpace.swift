package import Siltstone

/// The keys of tables in a store. All begin with FE, which no UTF-8 contains, so they do not meet keys of other users.
package enum KeySpace {
    private static let marker: UInt8 = 0xFE
    private static let catalogue: UInt8 = 0
    private static let contents: UInt8 = 1

    /// The number of the rows among a table's indexes.
    package static let rowsNumber: UInt64 = 0
    /// The number of a table's first index.
    package static let firstIndexNumber: UInt64 = 2

    /// The key of the catalogue's version.
    package static let version: [UInt8] = [marker, catalogue, 0]
    /// The prefix of the descriptions of tables.
    package static let descriptions: [UInt8] = [marker, catalogue, 2]
    /// The prefix of the progress of index builds.
    package static let builds: [UInt8] = [marker, catalogue, 4]

    /// The prefix of the statistics of tables.
    package static let allStatistics: [UInt8] = [marker, catalogue, 5]

    /// The key of a table's description.
    package static func description(_ table: UInt64) -> [UInt8] { key(descriptions, table) }
    /// The key of the greatest row number that a table has used, written after its row may be gone.
    package static func rowNumber(_ table: UInt64) -> [UInt8] { key([marker, catalogue, 3], table) }
    /// The key of the progress of an index build.
    package static func build(_ table: UInt64, _ index: UInt64) -> [UInt8] { key(builds, table, index) }
    /// The key of a table's statistics.
    package static func statistics(_ table: UInt64) -> [UInt8] { key(allStatistics, table) }

    /// The prefix of a table's rows and index entries together.
    package static func table(_ table: UInt64) -> [UInt8] { key([marker, contents], table) }
    /// The prefix of a table's rows. The values of the row's key follow.
    package static func rows(_ table: UInt64) -> [UInt8] { index(table, rowsNumber) }
    /// The prefix of an index's entries. The values follow, then the row's key unless the entry is unique.
    package static func index(_ table: UInt64, _ index: UInt64) -> [UInt8] { key([marker, contents], table, index) }

    /// The range of keys that begin with a prefix.
    package static func range(_ prefix: [UInt8]) -> KeyRange { KeyRange(prefix: prefix) }

    private static func key(_ prefix: [UInt8], _ numbers: UInt64...) -> [UInt8] {
        var bytes = prefix
        for number in numbers { OrderedVarint.append(number, to: &bytes) }
        return bytes
    }
}
