public import CRUDKit

/// Checks that a repository keeps the promises of `CRUDRepository`. Works with any test framework or none.
///
/// ```swift
/// @Test func conforms() async throws {
///     let directory = …  // a fresh one
///     try await RepositoryConformance { tableName in
///         MyRepository(directory: directory, tableName: tableName)
///     }.check()
/// }
/// ```
///
/// The checks use some thirty tables and a few hundred identifiers, and leave items behind. Use a database for them
/// alone.
public struct RepositoryConformance: Sendable {
    /// Makes a repository.
    public typealias MakeRepository = @Sendable (_ tableName: String) async throws -> any CRUDRepository & Sendable

    let makeRepository: MakeRepository
    let skipped: Set<ConformancePromise>

    /// Creates the checks.
    /// - Parameters:
    ///   - skipped: promises that the repository does not make. Those of `CRUDCollection` and `RecordRepository` are
    ///     skipped automatically for other repositories.
    ///   - makeRepository: makes a repository of a table, in a database that is empty at first. Calls with the same
    ///     name return repositories of the same table.
    public init(skipping skipped: Set<ConformancePromise> = [], makeRepository: @escaping MakeRepository) {
        self.makeRepository = makeRepository
        self.skipped = skipped
    }

    /// Checks every promise.
    /// - Throws: ``ConformanceFailure`` for the first broken promise.
    public func check() async throws {
        for promise in ConformancePromise.allCases where !skipped.contains(promise) {
            if let failure = await failure(of: promise) { throw failure }
        }
    }

    /// Checks every promise, even after a failure.
    /// - Returns: the failures; none for a conforming repository.
    public func failures() async -> [ConformanceFailure] {
        var failures: [ConformanceFailure] = []
        for promise in ConformancePromise.allCases where !skipped.contains(promise) {
            if let failure = await failure(of: promise) { failures.append(failure) }
        }
        return failures
    }

    /// Checks one promise.
    /// - Returns: the failure; nil if the promise is kept.
    public func failure(of promise: ConformancePromise) async -> ConformanceFailure? {
        do {
            try await run(promise)
            return nil
        } catch let violation as Violation {
            return ConformanceFailure(promise: promise, detail: violation.detail)
        } catch {
            return ConformanceFailure(promise: promise, detail: "Unexpected error: \(error)")
        }
    }

    private func run(_ promise: ConformancePromise) async throws {
        switch promise {
        case .createdIsReadBack: try await checkCreatedIsReadBack()
        case .createRefusesExisting: try await checkCreateRefusesExisting()
        case .missingIsNotFound: try await checkMissingIsNotFound()
        case .updateReplaces: try await checkUpdateReplaces()
        case .deleteRemoves: try await checkDeleteRemoves()
        case .failedEncodingChangesNothing: try await checkFailedEncoding()
        case .failedDecodingChangesNothing: try await checkFailedDecoding()
        case .anyIdentifierIsItsOwn: try await checkIdentifiers()
        case .equivalentIdentifiersAreTwo: try await checkEquivalentIdentifiers()
        case .tablesAreIsolated: try await checkTables()
        case .tableIsShared: try await checkTableIsShared()
        case .oneCreateWins: try await checkOneCreateWins()
        case .oneDeleteWins: try await checkOneDeleteWins()
        case .deletedStaysDeleted: try await checkDeletedStaysDeleted()
        case .concurrentOperationsAreIndependent: try await checkConcurrentOperations()
        case .existsAndUpsertAgree: try await checkExistsAndUpsert()
        case .listingIsCompleteAndOrdered: try await checkListing()
        case .batchesAreComplete: try await checkBatches()
        case .refusedBatchesChangeNothing: try await checkRefusedBatches()
        }
    }
}
