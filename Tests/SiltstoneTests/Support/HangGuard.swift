import Dispatch
import Foundation
import Testing

@testable import Siltstone

/// Ends the process, and says which test is to blame, where one does not come to an end: whoever waits for a thread that
/// hangs would wait for ever otherwise.
struct HangGuard: TestTrait, SuiteTrait, TestScoping {
    /// Seconds. All tests begin together and wait for their turns, so that this is about the run as a whole.
    private static let limit = (SuiteScale.isThorough ? 7_200 : 1_800) + 3 * (SuiteScale.longSeconds ?? 0)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let isOver = Locked(false)
        defer { isOver.withLock { $0 = true } }
        let (name, place) = (test.name, test.sourceLocation)
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.limit) {
            if isOver.withLock({ $0 }) { return }
            print("hang: \(name) at \(place) has not ended after \(Int(Self.limit)) seconds; the process is ended")
            fflush(nil)
            abort()
        }
        try await function()
    }
}

extension Trait where Self == HangGuard {
    /// For tests of threads and processes that wait for each other.
    static var comesToAnEnd: HangGuard { HangGuard() }
}
