import Testing

@testable import Siltstone

/// The names of a store's files.
struct StoreFileTests {
    @Test("a name is read as it is written")
    func roundTrip() {
        let files: [StoreFile] = [
            .current, .temporaryCurrent, .lock, .log(0), .log(7), .segment(123_456), .values(1_234_567),
            .manifest(StoreFile.greatestNumber),
        ]
        for file in files { #expect(StoreFile(name: file.name) == file) }
    }

    @Test(
        "a name that the store would not write is not the store's",
        arguments: [
            "", ".", ".log", "log", "000007", "7.log", "0000007.log", "+00007.log", "-00007.log", "000007.LOG",
            "000007.log ", "000007.log.old", "000007..log", "a.log", "00000a.log", "4611686018427387905.log",
            "99999999999999999999.log", "CURRENT.old", "current", "LOC\u{212A}",
        ])
    func otherNames(name: String) { #expect(StoreFile(name: name) == nil) }
}
