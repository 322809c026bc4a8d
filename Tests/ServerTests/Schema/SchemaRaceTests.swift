#if PostgreSQL || MySQL || SQLite
import Foundation
import TableKit
import Testing

/// Programs and tasks that change the schema at the same moment. Whoever comes second sees what the first has made.
@Suite(.serialized) struct SchemaRaceTests {
    private struct Part: Codable {
        var id: Int
        var owner: Int
    }

    private struct Owner: Codable {
        var id: Int
        var name: String
        var parts: [Part]?
    }

    private struct Short: Codable, TableNameProvider {
        static let tableName = "Shape"
        var id: Int
    }

    private struct Long: Codable, TableNameProvider {
        static let tableName = "Shape"
        var id: Int
        var name: String?
        var size: Int?
    }

    private static let rivals = 6
    private static let rounds = 6

    /// Runs `body` for each program on a thread of its own, all at the same moment, in several rounds.
    /// - Parameters:
    ///   - before: runs in the first program before each round.
    ///   - after: runs in the first program after each round.
    private func race(
        _ server: MoveTarget, before: @escaping @Sendable (any SchemaProgram) throws -> Void = { _ in },
        _ body: @escaping @Sendable (any SchemaProgram, _ number: Int) throws -> Void,
        after: @escaping @Sendable (any SchemaProgram) throws -> Void
    ) async throws {
        let programs = try server.programs(Self.rivals).map(program)
        for _ in 0..<Self.rounds {
            try await onThread { try before(programs[0]) }
            let start = DispatchSemaphore(value: 0)
            try await withThrowingTaskGroup { group in
                for (number, program) in programs.enumerated() {
                    group.addTask {
                        try await onThread {
                            start.wait()
                            try body(program, number)
                        }
                    }
                }
                for _ in programs { start.signal() }
                try await group.waitForAll()
            }
            try await onThread { try after(programs[0]) }
        }
        for program in programs { try program.end() }
    }

    @Test("programs that start together make one table and one index", arguments: MoveTarget.available)
    func starts(server: MoveTarget) async throws {
        try await race(server) { program, number in
            try program.create(Owner.self)
            try program.index(\Owner.name, isUnique: false)
            try program.index(\Part.owner, isUnique: true)
            try program.insert([Owner(id: number, name: "a")])
            try program.insert([Part(id: number, owner: number)])
        } after: { program in
            #expect(try program.count(Owner.self) == Self.rivals && program.count(Part.self) == Self.rivals)
            #expect(try program.infos().flatMap(\.indexes).count == 2)
            try program.drop(Part.self)
            try program.drop(Owner.self)
        }
    }

    @Test("programs add and drop the same columns", arguments: MoveTarget.available)
    func reconciliations(server: MoveTarget) async throws {
        try await race(server) { program in
            try program.create(Short.self)
        } _: { program, number in
            try program.create(Long.self, policy: .reconcileTable)
            try program.insert([Long(id: number, name: "a", size: 1)])
        } after: { program in
            #expect(try program.columns(Long.self) == ["id", "name", "size"])
            #expect(try program.count(Long.self) == Self.rivals)
            try program.drop(Long.self)
        }
        try await race(server) { program in
            try program.create(Long.self)
        } _: { program, _ in
            try program.create(Short.self, policy: .reconcileTable)
        } after: { program in
            #expect(try program.columns(Short.self) == ["id"])
            try program.drop(Short.self)
        }
    }

    @Test("programs drop the same tables", arguments: MoveTarget.available)
    func drops(server: MoveTarget) async throws {
        try await race(server) { program in
            try program.create(Owner.self)
        } _: { program, _ in
            try program.drop(Part.self)
            try program.drop(Owner.self)
        } after: { program in
            let left = try program.infos()
            #expect(left.isEmpty)
        }
    }

    @Test("programs make tables in transactions of their own", arguments: MoveTarget.available)
    func transactions(server: MoveTarget) async throws {
        try await race(server) { program, number in
            try program.transact {
                try program.create(Owner.self)
                try program.index(\Owner.name, isUnique: false)
            }
            try program.insert([Owner(id: number, name: "a")])
        } after: { program in
            #expect(try program.count(Owner.self) == Self.rivals)
            try program.drop(Part.self)
            try program.drop(Owner.self)
        }
    }

    @Test("of programs that migrate together, one runs each step", arguments: MoveTarget.available)
    func migrations(server: MoveTarget) async throws {
        let programs = try server.programs(Self.rivals).map(program)
        let made = try await withThrowingTaskGroup(of: [String].self) { group in
            for (number, program) in programs.enumerated() {
                group.addTask { try await onThread { try program.migrate(Short(id: number)) } }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(made == ["first"])
        #expect(try await onThread { try programs[0].count(Short.self) } == 1)
        try await onThread { for program in programs { try program.end() } }
    }

    @Test("tasks of one program make one table and one index", arguments: MoveTarget.available)
    func tasks(server: MoveTarget) async throws {
        let program = try program(server.programs(1)[0])
        for _ in 0..<Self.rounds {
            try await withThrowingTaskGroup { group in
                for number in 0..<8 {
                    group.addTask {
                        try await program.createInTask(Owner.self)
                        try await program.indexInTask(\Owner.name)
                        try await onThread { try program.insert([Owner(id: number, name: "a")]) }
                    }
                }
                try await group.waitForAll()
            }
            try await onThread {
                #expect(try program.count(Owner.self) == 8)
                try program.drop(Part.self)
                try program.drop(Owner.self)
            }
        }
        try program.end()
    }
}
#endif
