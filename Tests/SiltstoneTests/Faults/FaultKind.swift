import Foundation
import SiltstoneTesting
import Testing

@testable import Siltstone

/// A way for calls to go wrong, which calls can go wrong so, and what a store owes to who meets it.
struct FaultKind: Sendable, CustomTestStringConvertible {
    var name: String
    /// Whether it meets other calls where files are read and written than where they are mapped.
    var dependsOnAccess = false
    /// How many calls in a row fail: each is a sweep of its own. `Int.max` is for good.
    var times = [1, Int.max]
    /// Whether it makes a difference from which call on it lasts; else all calls are tried once, and all at a time.
    var lasts = true
    var operations: Set<FileSystemCall.Operation>
    var fault: @Sendable (FileSystemCall) -> Fault
    /// What may be thrown; empty where nobody may notice.
    var codes: Set<StoreError.Code>
    /// Whether writes go on once the reason is gone, without opening the store again.
    var heals: Bool

    var testDescription: String { name }

    /// Lets the `number`th call that can fail in this way fail, and those behind it.
    func rule(from number: Int, times: Int) -> FaultRule {
        let (operations, fault) = (operations, fault)
        return .from(number, times: times, where: { operations.contains($0.operation) }, { fault($0) })
    }

    /// All calls that can fail.
    private static let all = Set(FileSystemCall.Operation.allCases).subtracting([.unlock])
    private static let growing: Set<FileSystemCall.Operation> = [.create, .createDirectory, .write, .reserve, .link]
    private static let changing: Set<FileSystemCall.Operation> = growing.union([
        .rename, .remove, .removeDirectory, .truncate, .sync, .syncDirectory,
    ])

    /// The device fails: nobody knows what it holds.
    static let broken = FaultKind(
        name: "EIO", dependsOnAccess: true, operations: all, fault: { _ in .inputOutput },
        codes: [.inputOutput, .refusesWrites], heals: false)
    /// For good, what was written in part cannot be removed either.
    static let brokenPartWay = FaultKind(
        name: "EIO after half of a write", dependsOnAccess: true, operations: [.write, .remove],
        fault: { .errorAfterPart(Platform.inputOutputError, bytes: $0.length / 2) },
        codes: [.inputOutput, .refusesWrites], heals: false)
    static let brokenAfterwards = FaultKind(
        name: "EIO for what was done", operations: changing,
        fault: { _ in .errorAfterwards(Platform.inputOutputError) }, codes: [.inputOutput, .refusesWrites], heals: false
    )
    static let full = FaultKind(
        name: "ENOSPC", dependsOnAccess: true, operations: growing, fault: { _ in .noSpace }, codes: [.noSpace],
        heals: true)
    static let fullPartWay = FaultKind(
        name: "EDQUOT after half of a write", dependsOnAccess: true, times: [1], operations: [.write, .reserve],
        fault: { .errorAfterPart(EDQUOT, bytes: $0.length / 2) }, codes: [.noSpace], heals: true)
    /// A disk that notices only when the bytes are to be stored that it is full.
    static let fullLate = FaultKind(
        name: "ENOSPC of a sync or a change of names", operations: [.sync, .syncDirectory, .rename, .truncate],
        fault: { _ in .noSpace }, codes: [.noSpace, .inputOutput, .refusesWrites], heals: false)
    /// What was written cannot be taken back, so that it may be found again.
    static let fullAfterwards = FaultKind(
        name: "ENOSPC for what was written", dependsOnAccess: true, operations: [.write, .truncate],
        fault: { $0.operation == .write ? .errorAfterwards(Platform.noSpaceError) : .noSpace },
        codes: [.noSpace, .inputOutput, .refusesWrites], heals: false)
    static let exhausted = FaultKind(
        name: "EMFILE", operations: [.open, .create, .readDirectory, .syncDirectory, .lock],
        fault: { _ in .tooManyFiles }, codes: [.inputOutput], heals: true)
    static let denied = FaultKind(
        name: "EACCES",
        operations: [
            .open, .create, .createDirectory, .readDirectory, .attributes, .rename, .link, .remove, .removeDirectory,
            .syncDirectory, .lock,
        ], fault: { _ in .accessDenied }, codes: [.permissionDenied], heals: true)
    /// What Linux makes of a file system on which it has found damage.
    static let readOnly = FaultKind(
        name: "EROFS", dependsOnAccess: true, times: [.max], operations: changing.subtracting([.sync, .syncDirectory]),
        fault: { $0.operation == .write ? .errorAfterwards(EROFS) : .readOnlyFileSystem },
        codes: [.permissionDenied, .inputOutput, .refusesWrites], heals: false)
    static let interrupted = FaultKind(
        name: "EINTR", dependsOnAccess: true, times: [1, 5], lasts: false, operations: all.subtracting([.close, .map]),
        fault: { _ in .interrupted },
        codes: [], heals: true)
    static let short = FaultKind(
        name: "half of a read or write", dependsOnAccess: true, lasts: false, operations: [.read, .write],
        fault: { .short(max(1, $0.length / 2)) },
        codes: [], heals: true)

    static let allKinds: [FaultKind] = [
        broken, brokenPartWay, brokenAfterwards, full, fullPartWay, fullLate, fullAfterwards, exhausted, denied,
        readOnly, interrupted,
        short,
    ]
}
