#if os(Linux)
import Foundation
import Testing

@testable import Siltstone

/// A store of the usual configuration that large values have filled to the last byte it takes.
@Suite("A disk full of large values", .enabled(if: SmallDisk.isAvailable, "needs the right to mount"))
struct FullDiskValuesTests {
    /// What is deleted on the full disk.
    enum Deletion: CaseIterable, Sendable {
        case all, half, quarter, range, overwritten
    }

    @Test(
        "what is deleted or overwritten can be written again, with and without another opening", .comesToAnEnd,
        arguments: Deletion.allCases, [20_000, 150_000])
    func deletedSpaceComesBack(_ deletion: Deletion, _ size: Int) async throws {
        for reopens in [false, true] { try await fillDeleteFill(deletion, size, reopens: reopens) }
    }

    private func fillDeleteFill(_ deletion: Deletion, _ size: Int, reopens: Bool) async throws {
        try await OwnThread.run {
            let disk = try SmallDisk(megabytes: 12)
            var store = try KeyValueStore.open(at: disk.path + "/store")
            var model: [Int: UInt8] = [:]
            func value(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: size) }
            /// A write that meets the full disk fails at once. The store makes room, and a later try succeeds.
            func again(_ change: @escaping () throws(StoreError) -> Void) throws {
                for _ in 0..<2_000 {
                    if StoreError.Code.of(change) != .noSpace { return }
                    Platform.sleep(microseconds: 5_000)
                }
                throw CrashFailure("the store does not make room")
            }
            func fill(from start: Int, _ byte: UInt8) throws -> Int {
                var number = start
                while StoreError.Code.of({ try store.put(key(number), value(byte), durability: .buffered) }) == nil {
                    model[number] = byte
                    number += 1
                }
                return number - start
            }
            let count = try fill(from: 0, 1)
            try CrashFailure.require(count * size > 8 << 20, "the store takes only \(count) values")
            // Deletes need so little that none is refused.
            var freed = 0
            func delete(_ number: Int) throws {
                try store.delete(key(number), durability: .buffered)
                model[number] = nil
                freed += 1
            }
            switch deletion {
            case .all: for number in 0..<count { try delete(number) }
            case .half: for number in stride(from: 0, to: count, by: 2) { try delete(number) }
            case .quarter: for number in stride(from: 0, to: count, by: 4) { try delete(number) }
            case .range:
                try store.deleteRange(from: key(0), to: key(count))
                (model, freed) = ([:], count)
            case .overwritten:
                for number in 0..<count {
                    try again { () throws(StoreError) in try store.put(key(number), [7], durability: .buffered) }
                    model[number] = nil
                }
                freed = count
            }
            if reopens {
                try store.close()
                store = try KeyValueStore.open(at: disk.path + "/store")
            }
            // Three quarters of what was freed can be used again: the rest is garbage that is not worth collecting, and
            // the space that flushes need.
            for number in count..<count + freed * 3 / 4 {
                try again { () throws(StoreError) in try store.put(key(number), value(2), durability: .buffered) }
                model[number] = 2
            }
            for (number, byte) in model {
                let found = try store.get(key(number))
                try CrashFailure.require(found == value(byte), "value \(number) is lost")
            }
            try CrashFailure.require(try store.verify().problems.isEmpty, "verify finds problems")
            try store.close()
        }
    }
}
#endif
