import CRUDKit
import Foundation
import Testing

struct CRUDRepositoryErrorTests {
    @Test("An error tells people which record it is about") func descriptions() {
        let missing: any Error = CRUDRepositoryError.recordNotFound(id: "client")
        #expect(missing.localizedDescription == "There is no record under the identifier \"client\".")
        let existing: any Error = CRUDRepositoryError.recordAlreadyExists(id: "a\n\0")
        #expect(existing.localizedDescription == "There is already a record under the identifier \"a\\n\\0\".")
        let long = CRUDRepositoryError.recordNotFound(id: String(repeating: "x", count: 10_000))
        #expect(long.localizedDescription.count < 200)
    }

    @Test("databaseError can be thrown with a reason and without") func databaseError() {
        let bare: CRUDRepositoryError = .databaseError
        #expect(bare == .databaseError(reason: ""))
        #expect(CRUDRepositoryError.databaseError(reason: "No disk.").localizedDescription.contains("No disk."))
    }

    @Test("unknownOutcome says that the change may have taken place, and what to do") func unknownOutcome() {
        let error = CRUDRepositoryError.unknownOutcome(reason: "No answer.")
        #expect(error.localizedDescription == "It is unknown whether the change took place: No answer.")
        #expect(error.recoverySuggestion?.contains("Read the record") == true)
    }
}
