import CRUDKit
import Siltstone

/// State that a ``FaultInjectingFileSystem`` shares with everything it opened: the count, the log and the rule.
final class FaultInjector: Sendable {
    private struct State: Sendable {
        var count = 0
        var rule = FaultRule.none
        var log: [FileSystemCall] = []
        var faults: [(call: FileSystemCall, fault: Fault)] = []
        var held: [String: Int] = [:]
    }

    private let state = Locked(State())
    private let keepsLog: Bool

    init(keepsLog: Bool) { self.keepsLog = keepsLog }

    func setRule(_ rule: FaultRule) { state.withLock { $0.rule = rule } }

    var count: Int { state.withLock { $0.count } }
    var log: [FileSystemCall] { state.withLock { $0.log } }
    var faults: [(call: FileSystemCall, fault: Fault)] { state.withLock { $0.faults } }
    var held: [String] {
        state.withLock { $0.held }.flatMap { Array(repeating: $0.key, count: $0.value) }.sorted()
    }

    /// Changes the count of held objects at `path`.
    func hold(_ path: String, _ change: Int) {
        state.withLock { state in
            let count = (state.held[path] ?? 0) + change
            state.held[path] = count == 0 ? nil : count
        }
    }

    /// Counts and logs a call, and asks the rule.
    func meet(_ call: FileSystemCall) -> Fault? {
        let (call, rule) = state.withLock { state in
            var call = call
            call.number = state.count
            state.count += 1
            if keepsLog { state.log.append(call) }
            return (call, state.rule)
        }
        guard let fault = rule.decide(call) else { return nil }
        state.withLock { $0.faults.append((call, fault)) }
        return fault
    }

    /// Makes a call that cannot be done in part.
    func make<R>(_ call: FileSystemCall, _ body: () throws(FileSystemError) -> R) throws(FileSystemError) -> R {
        switch meet(call) {
        case nil, .short: return try body()
        case .error(let number), .errorAfterPart(let number, _): throw Self.failure(call, number)
        case .errorAfterwards(let number):
            _ = try body()
            throw Self.failure(call, number)
        }
    }

    static func failure(_ call: FileSystemCall, _ number: Int32) -> FileSystemError {
        let hasOffset: Set<FileSystemCall.Operation> = [.read, .write, .reserve, .truncate]
        return FileSystemError(
            call.operation.errorName, path: call.path, errorNumber: number,
            offset: hasOffset.contains(call.operation) ? call.offset : nil, detail: "injected")
    }
}
