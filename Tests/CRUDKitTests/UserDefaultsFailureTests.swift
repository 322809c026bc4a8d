import CRUDKit
import Foundation
import Testing

/// Defaults that are never written to disk.
private final class FullDefaults: UserDefaults {
    override func synchronize() -> Bool { false }
}

struct UserDefaultsFailureTests {
    @Test("A change that the system does not write has an unknown outcome: it is visible")
    func unwritten() async throws {
        let suite = "CRUDKitTests.\(UUID().uuidString)"
        defer { UserDefaults.standard.removePersistentDomain(forName: suite) }
        let repository = UserDefaultsRepository(defaults: try #require(FullDefaults(suiteName: suite)))
        await #expect {
            try await repository.create(id: "a", item: 1)
        } throws: { error in
            if case CRUDRepositoryError.unknownOutcome = error { true } else { false }
        }
        #expect(try await repository.read(id: "a") == 1)
    }
}
