/// The operations of a scenario, each decided by seed, lane and index alone, and by what the lane's keys hold: parent and
/// child come to the same ones without telling each other.
struct CrashWorkload: Sendable {
    let scenario: CrashScenario
    let seed: UInt64

    /// What all keys of a lane begin with.
    static func prefix(ofLane lane: Int) -> [UInt8] { Array("lane\(lane)/".utf8) }

    /// The key under which a lane of ``CrashScenario/threads`` keeps the index of its last batch.
    static func counterKey(ofLane lane: Int) -> [UInt8] { prefix(ofLane: lane) + Array("~count".utf8) }

    /// What an account of ``CrashScenario/transfers`` begins with.
    static let openingBalance = 1_000
    static let accounts = 64

    static func accountKey(_ account: Int) -> [UInt8] { key(0, "account", account) }

    static func key(_ lane: Int, _ kind: String, _ number: Int) -> [UInt8] {
        let digits = String(number)
        return prefix(ofLane: lane)
            + Array((kind + String(repeating: "0", count: max(0, 6 - digits.count)) + digits).utf8)
    }

    /// The operation of a lane with an index.
    /// - Parameter current: what a key of the lane holds before it.
    func operation(
        lane: Int, index: UInt64, current: ([UInt8]) throws -> [UInt8]?
    ) rethrows -> CrashOperation {
        var step = Step(seed: seed, lane: lane, index: index)
        switch scenario {
        case .bufferedPuts: return .write([step.put("key", below: 600, upTo: 200)])
        case .syncedPuts: return .write([step.put("key", below: 80, upTo: 1_500)])
        case .transfers: return .write(try step.transfer(current))
        case .hotKeys: return try step.hotKey(current)
        case .rangeDeletes: return .write(step.rangeDelete())
        case .largeValues: return step.largeValue()
        case .transactions: return .transfer(CrashTransfer(seed: seed, lane: lane, index: index))
        case .fillingMapped, .fillingWritten: return step.filling()
        case .threads:
            return lane == scenario.maintenanceLane ? step.maintenance() : .write(step.countedBatch())
        }
    }
}
