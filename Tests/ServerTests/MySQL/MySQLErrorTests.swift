#if MySQL
import TableKit
import TableSQL
import Testing

@testable import MySQLTables

/// What the error numbers of the server mean.
struct MySQLErrorTests {
    @Test(
        "a value that no column or counter has room for is a wrong argument",
        arguments: [167, 1467, 1406, 1118, 1153] as [UInt32])
    func arguments(_ number: UInt32) {
        let (kind, code) = MySQLError.meaning(number)
        #expect(kind == .statement && code == .argument)
    }

    @Test("a unique index that the server does not make is unsupported, and its error gives advice") func hashedKeys() {
        let (kind, code) = MySQLError.meaning(4169)
        #expect(kind == .statement && code == .unsupported)
        let error = MySQLError.error(4169, "AUTO_INCREMENT column `id` cannot be used in the UNIQUE index `k`")
        #expect(error.serverCode == "4169" && error.advice?.contains("key") == true)
    }

    @Test("a number that is not known is an error of the engine") func others() {
        let (kind, code) = MySQLError.meaning(1)
        #expect(kind == .statement && code == .engine)
    }
}
#endif
