import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Threads that move money in a store, others that audit it and disturb it, and the death of the disk in their midst.
final class BankRun {
    struct Figures {
        var transfers = 0
        var audits = 0
        var deaths = 0
    }

    private let place: HistoryPlace
    private let disk: MortalFileSystem
    private let replay: String
    private(set) var figures = Figures()

    /// - Parameter variant: must write its logs by calls: a mapping outlives the disk's death.
    init(_ variant: HistoryVariant, seed: UInt64, replay: String) throws {
        var disk: MortalFileSystem?
        place = try HistoryPlace(variant, seed: seed) { base in
            let mortal = MortalFileSystem(base)
            disk = mortal
            return mortal
        }
        self.disk = try #require(disk)
        self.replay = replay
        let store = try place.open()
        try Bank(store).open()
        try store.close()
    }

    /// Moves money until there was enough of it or the disk died, then opens the store again and counts.
    /// - Parameter dies: whether the disk dies; else the store is closed.
    func run(seed: UInt64, transfers: Int, dies: Bool) throws {
        try transferAndAudit(seed, transfers, dies: dies)
        if dies {
            figures.deaths += 1
            disk.revive()
        }
        let store = try place.openWhenFree()
        let bank = Bank(store)
        try bank.releaseLocks()
        expectConstant(try bank.audit())
        #expect(try store.verify().problems.isEmpty, "\(replay)")
        try store.close()
    }

    private func transferAndAudit(_ seed: UInt64, _ transfers: Int, dies: Bool) throws {
        let store = try place.open()
        let bank = Bank(store)
        let (working, beside) = (DispatchGroup(), DispatchGroup())
        let (isOn, done, sums) = (Locked(true), Counter(), Locked<[[Int?]]>([]))
        for thread in 0..<4 {
            Thread.detachNewThread(in: working) {
                var random = SeededGenerator(seed &+ UInt64(thread))
                for _ in 0..<transfers where isOn.withLock({ $0 }) {
                    do throws(StoreError) {
                        if thread % 2 == 0 {
                            try bank.transferUnderLocks(&random)
                        } else {
                            try bank.transferUnderInserts(&random) { isOn.withLock { $0 } }
                        }
                        _ = done.next()
                    } catch {
                        // What a dead disk does to a call, and to those after it.
                        #expect(dies && (error.code == .inputOutput || error.code == .refusesWrites), "\(error)")
                        isOn.withLock { $0 = false }
                    }
                }
            }
        }
        for thread in 10..<13 {
            Thread.detachNewThread(in: beside) {
                var random = SeededGenerator(seed &+ UInt64(thread))
                repeat {
                    do throws(StoreError) {
                        switch (thread, random.index(8)) {
                        case (10, 0): try store.compact()
                        case (10, _): try store.flush()
                        default:
                            let audit = try bank.audit()
                            sums.withLock { $0.append(audit) }
                        }
                    } catch { #expect(dies, "\(error)") }
                } while isOn.withLock({ $0 })
            }
        }
        if dies {
            var random = SeededGenerator(seed &+ 99)
            usleep(UInt32(random.index(120_000)))
            disk.die()
        }
        working.wait()
        isOn.withLock { $0 = false }
        beside.wait()
        if !dies { try store.close() }
        // One is enough: money that is gone is missing in all audits to come.
        let wrong = sums.withLock { $0.first { !Self.isConstant($0) } }
        if let wrong { expectConstant(wrong) }
        figures.audits += sums.withLock { $0.count }
        figures.transfers += done.value
    }

    private static func isConstant(_ sums: [Int?]) -> Bool {
        sums.allSatisfy { $0 == Bank.accounts * Bank.opening }
    }

    private func expectConstant(_ sums: [Int?]) { #expect(Self.isConstant(sums), "\(sums)\n\(replay)") }
}
