import CRUDKit
import SiltstoneTesting
import Testing

struct RepositoryConformanceTests {
    /// The promises that the checks find broken.
    private func broken(_ fault: FaultyRepository.Fault?) async -> Set<ConformancePromise> {
        let database = FaultyDatabase()
        let conformance = RepositoryConformance { FaultyRepository(table: $0, fault: fault, database: database) }
        return Set(await conformance.failures().map(\.promise))
    }

    @Test("The repository that is to be made faulty is right without a fault") func faultless() async {
        #expect(await broken(nil).isEmpty)
    }

    @Test(
        "Each fault is found, as the promise that it breaks",
        arguments: [
            (.createOverwrites, .createRefusesExisting), (.createIsNotAtomic, .oneCreateWins),
            (.deletePrefixesTwice, .deleteRemoves), (.deleteOfMissingIsSilent, .missingIsNotFound),
            (.deleteIsNotAtomic, .oneDeleteWins), (.updateCreates, .missingIsNotFound),
            (.updateMerges, .updateReplaces), (.readOfMissingIsDatabaseError, .missingIsNotFound),
            (.keysRunTogether, .tablesAreIsolated), (.keysStopAtNull, .anyIdentifierIsItsOwn),
            (.keysIgnoreCase, .anyIdentifierIsItsOwn), (.keysAreNormalized, .equivalentIdentifiersAreTwo),
            (.slashesAreStripped, .anyIdentifierIsItsOwn), (.longKeysAreCut, .anyIdentifierIsItsOwn),
            (.writesBeforeEncoding, .failedEncodingChangesNothing), (.forgetsOtherRepositories, .tableIsShared),
            (.wrongIdentifierInError, .missingIsNotFound),
        ] as [(FaultyRepository.Fault, ConformancePromise)])
    func faultIsFound(_ fault: FaultyRepository.Fault, _ promise: ConformancePromise) async {
        #expect(await broken(fault).contains(promise))
    }

    @Test(
        "Each fault of a collection is found, as the promise that it breaks",
        arguments: [
            (.ordersAsStrings, .listingIsCompleteAndOrdered), (.mergesEquivalents, .listingIsCompleteAndOrdered),
            (.pageBeginsWithLast, .listingIsCompleteAndOrdered), (.missesTheLast, .listingIsCompleteAndOrdered),
            (.batchStopsSilently, .batchesAreComplete), (.upsertIgnores, .existsAndUpsertAgree),
        ] as [(FaultyCollection.Fault, ConformancePromise)])
    func collectionFaultIsFound(_ fault: FaultyCollection.Fault, _ promise: ConformancePromise) async {
        let database = InMemoryDatabase()
        let conformance = RepositoryConformance {
            FaultyCollection(base: InMemoryRepository(tableName: $0, database: database), fault: fault)
        }
        #expect(await conformance.failure(of: promise) != nil)
    }

    @Test(
        "A refused batch that leaves a part is found, and only that",
        arguments: [nil, .createsInPart, .deletesInPart, .deletesRepeated] as [FaultyRecords.Fault?])
    func recordFaultIsFound(_ fault: FaultyRecords.Fault?) async {
        let database = InMemoryDatabase()
        let conformance = RepositoryConformance {
            FaultyRecords(base: InMemoryRepository(tableName: $0, database: database), fault: fault)
        }
        #expect(await conformance.failures().map(\.promise) == (fault == nil ? [] : [.refusedBatchesChangeNothing]))
    }

    @Test("A failure names the promise and what happened instead") func message() async throws {
        let database = FaultyDatabase()
        let conformance = RepositoryConformance {
            FaultyRepository(table: $0, fault: .createOverwrites, database: database)
        }
        let failure = try #require(await conformance.failure(of: .createRefusesExisting))
        #expect(failure.description.contains("create of an identifier that exists"))
        #expect(failure.description.contains("did not throw recordAlreadyExists"))
        await #expect(throws: ConformanceFailure.self) { try await conformance.check() }
    }

    @Test("A promise that is skipped is not checked") func skipping() async throws {
        let database = FaultyDatabase()
        let skipped: Set<ConformancePromise> = [
            .createRefusesExisting, .oneCreateWins, .tableIsShared, .anyIdentifierIsItsOwn,
            .equivalentIdentifiersAreTwo, .existsAndUpsertAgree, .batchesAreComplete,
        ]
        try await RepositoryConformance(skipping: skipped) {
            FaultyRepository(table: $0, fault: .createOverwrites, database: database)
        }.check()
    }
}
