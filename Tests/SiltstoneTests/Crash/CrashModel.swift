@testable import CrashChild

/// What the keys of one lane must hold.
struct CrashModel: Equatable {
    let lane: Int
    private(set) var entries: [[UInt8]: [UInt8]] = [:]
    /// Keys that were there once, and were removed.
    private(set) var removed: Set<[UInt8]> = []
    /// What the lane's transfers have moved, by account.
    private(set) var balances: [Int: Int] = [:]
    /// The index of the next operation.
    private(set) var nextIndex: UInt64 = 0

    init(lane: Int) { self.lane = lane }

    /// Makes the changes of the next operation, or passes it over where it was begun but has not happened.
    mutating func advance(_ workload: CrashWorkload, applying: Bool = true) {
        if applying {
            let operation = nextOperation(workload)
            apply(operation.changes)
            if case .transfer(let transfer) = operation { transfer.apply(to: &balances) }
        }
        nextIndex += 1
    }

    func nextOperation(_ workload: CrashWorkload) -> CrashOperation {
        workload.operation(lane: lane, index: nextIndex) { entries[$0] }
    }

    private mutating func apply(_ changes: [CrashChange]) {
        for change in changes {
            switch change {
            case .put(let key, let value):
                entries[key] = value
                removed.remove(key)
            case .delete(let key): remove(key)
            case .deleteRange(let from, let to):
                for key in entries.keys where !key.precedes(from) && key.precedes(to) {
                    remove(key)
                }
            }
        }
    }

    private mutating func remove(_ key: [UInt8]) {
        if entries.removeValue(forKey: key) != nil { removed.insert(key) }
    }

    /// In words, the first few differences of what was found; nil where there is none.
    func difference(from found: [[UInt8]: [UInt8]]) -> String? {
        if found == entries { return nil }
        var lines: [String] = []
        for (key, value) in entries where found[key] != value {
            let what = found[key].map { "has \(Self.brief($0)) instead of" } ?? "is lost; it should have"
            lines.append("\(Self.brief(key)) \(what) \(Self.brief(value))")
        }
        for (key, value) in found where entries[key] == nil {
            lines.append("\(Self.brief(key)) should be absent, and has \(Self.brief(value))")
        }
        let shown = lines.sorted().prefix(8).joined(separator: "\n  ")
        return "lane \(lane) before operation \(nextIndex), \(lines.count) differences:\n  \(shown)"
    }

    private static func brief(_ bytes: [UInt8]) -> String {
        let text = bytes.prefix(24).map { (0x20..<0x7f).contains($0) ? String(UnicodeScalar($0)) : "." }.joined()
        return "'\(text)' (\(bytes.count) bytes)"
    }
}
