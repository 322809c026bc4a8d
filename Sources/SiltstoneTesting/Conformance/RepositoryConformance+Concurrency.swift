import CRUDKit

/// Checks of concurrent operations.
extension RepositoryConformance {
    /// The outcome of a task's operation.
    private enum Outcome: Sendable {
        case done(Int)
        case refused
        case failed(String)
    }

    /// Runs an operation concurrently in several tasks, through two repositories of one table.
    private func race(
        _ table: String, tasks: Int,
        _ operation: @escaping @Sendable (any CRUDRepository & Sendable, Int) async throws -> Void
    ) async throws -> (winners: [Int], refused: Int) {
        let repositories = [try await makeRepository(table), try await makeRepository(table)]
        let start = StartLine(tasks: tasks)
        return try await withThrowingTaskGroup(of: Outcome.self) { group in
            for number in 0..<tasks {
                group.addTask {
                    await start.wait()
                    do {
                        try await operation(repositories[number % 2], number)
                        return .done(number)
                    } catch CRUDRepositoryError.recordAlreadyExists, CRUDRepositoryError.recordNotFound {
                        return .refused
                    } catch {
                        return .failed("\(error)")
                    }
                }
            }
            var winners: [Int] = []
            var refused = 0
            for try await outcome in group {
                switch outcome {
                case .done(let number): winners.append(number)
                case .refused: refused += 1
                case .failed(let error): throw Violation("An operation threw \(error).")
                }
            }
            return (winners, refused)
        }
    }

    func checkOneCreateWins() async throws {
        let table = "create-race"
        for round in 0..<8 {
            let id = "id\(round)"
            let (winners, refused) = try await race(table, tasks: 24) { try await $0.create(id: id, item: $1) }
            try require(winners.count == 1, "\(winners.count) of 24 creates of one identifier succeeded.")
            try require(refused == 23, "\(refused) of 23 creates were refused.")
            try await makeRepository(table).expect(winners[0], id: id, "after a race that \(winners[0]) won")
        }
    }

    func checkOneDeleteWins() async throws {
        let table = "delete-race"
        for round in 0..<8 {
            let id = "id\(round)"
            try await makeRepository(table).create(id: id, item: round)
            let (winners, _) = try await race(table, tasks: 24) { repository, _ in try await repository.delete(id: id) }
            try require(winners.count == 1, "\(winners.count) of 24 deletes of one identifier succeeded.")
            try await makeRepository(table).expectMissing(id: id)
        }
    }

    func checkDeletedStaysDeleted() async throws {
        let table = "update-race"
        for round in 0..<8 {
            let id = "id\(round)"
            try await makeRepository(table).create(id: id, item: round)
            // Both kinds run through both repositories.
            let (winners, _) = try await race(table, tasks: 24) { repository, number in
                if number % 4 < 2 {
                    try await repository.update(id: id, item: number)
                } else {
                    try await repository.delete(id: id)
                }
            }
            let deletes = winners.count { $0 % 4 >= 2 }
            try require(deletes == 1, "\(deletes) of 12 deletes of one identifier succeeded, beside 12 updates.")
            try await makeRepository(table).expectMissing(id: id)
        }
    }

    func checkConcurrentOperations() async throws {
        let table = "concurrent"
        let (winners, _) = try await race(table, tasks: 32) { repository, number in
            let id = "id\(number)"
            try await repository.create(id: id, item: [number])
            for round in 0..<5 {
                try await repository.expect([number + round], id: id, "beside others")
                try await repository.update(id: id, item: [number + round + 1])
            }
            if number.isMultiple(of: 2) { try await repository.delete(id: id) }
        }
        try require(winners.count == 32, "\(32 - winners.count) of 32 tasks were disturbed by the others.")
        let repository = try await makeRepository(table)
        for number in 0..<32 {
            if number.isMultiple(of: 2) {
                try await repository.expectMissing(id: "id\(number)")
            } else {
                try await repository.expect([number + 5], id: "id\(number)", "after others were changed")
            }
        }
    }
}
