import Foundation

/// How much the attacks on tables try: in the quick form a part of it (`SILTSTONE_THOROUGH`, `SILTSTONE_LONG`).
enum TestForm {
    private static let environment = ProcessInfo.processInfo.environment

    static let isThorough =
        environment["SILTSTONE_LONG"] != nil || environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false

    static func count(_ quick: Int, thorough: Int) -> Int { isThorough ? thorough : quick }
}
