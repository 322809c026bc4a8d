import Foundation
import Siltstone
import Testing

/// Runs of the tool that are killed, and run again.
///
/// Each command is timed once, and then killed at moments spread over that time and a little more: in the quick form three
/// times, in the thorough form (`SILTSTONE_THOROUGH`) ten, in the long form (`SILTSTONE_LONG`) two hundred times.
@Suite("The tool, killed", .serialized)
struct KilledToolTests {
    private static let kills: Int = {
        let environment = ProcessInfo.processInfo.environment
        if environment["SILTSTONE_LONG"] != nil { return 200 }
        return environment["SILTSTONE_THOROUGH"].map { $0 != "0" } ?? false ? 10 : 3
    }()

    /// Starts the tool and kills it, wherever it is then.
    /// - Returns: whether it was killed, rather than done.
    private func kill(_ arguments: [String], after delay: Duration) async throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Silt.binary())
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try await Task.sleep(for: delay)
        #if canImport(Darwin)
        Darwin.kill(process.processIdentifier, SIGKILL)
        #else
        Glibc.kill(process.processIdentifier, SIGKILL)
        #endif
        process.waitUntilExit()
        if process.terminationReason == .uncaughtSignal {
            #expect(process.terminationStatus == SIGKILL, "ended by a signal of its own")
            return true
        }
        #expect(process.terminationStatus == 0)
        return false
    }

    /// The moments to kill at, given what a whole run takes.
    private func moments(_ whole: Duration) -> [Duration] {
        (0..<Self.kills).map { whole * Double($0) / Double(Self.kills) * 1.1 }
    }

    @Test(
        "verify, dump and compact lose nothing, however often they are killed",
        arguments: ["verify", "dump", "compact"])
    func kills(_ command: String) async throws {
        let store = try AttackedStore(changes: 2_500)
        let copy = try store.copy("timed")
        let start = ContinuousClock.now
        try Silt.run(command, copy).expect(status: 0)
        var killed = 0
        // A busy machine may let each of them come to its end first; then at once, until one does not.
        let moments = moments(ContinuousClock.now - start) + [Duration](repeating: .zero, count: 50)
        for (index, moment) in moments.enumerated() where index < Self.kills || killed == 0 {
            // Once it has been compacted, a compaction has nothing more to do.
            let path =
                try command == "compact" && killed % 3 == 0 ? store.copy("killed") : store.directory.file("killed")
            if !FileManager.default.fileExists(atPath: path) { _ = try store.copy("killed") }
            if try await kill([command, path], after: moment) { killed += 1 }
            #expect(try AttackedStore.content(of: path) == store.content, "killed after \(moment)")
        }
        let last = store.directory.file("killed")
        try Silt.run(command, last).expect(status: 0)
        try Silt.run("verify", last).expect(status: 0)
        #expect(try AttackedStore.content(of: last) == store.content)
        #expect(killed > 0)
        print("attack: tool killed, \(command): \(killed) kills, \(store.content.count) records each time")
    }

    @Test("repair, killed and run again, brings back what it does undisturbed, and throws nothing away")
    func killsRepair() async throws {
        let store = try AttackedStore(changes: 2_500)
        let segment = try #require(try AttackedStore.files(".segment", in: store.path).first)
        try AttackedStore.damage(segment, in: store.path)
        let log = try #require(try AttackedStore.files(".log", in: store.path).first)
        try AttackedStore.damage(log, in: store.path)
        let whole = try store.copy("whole")
        let start = ContinuousClock.now
        try Silt.run("repair", whole).expect(status: 0)
        let time = ContinuousClock.now - start
        let expected = try AttackedStore.content(of: whole)
        #expect(expected.count > store.content.count / 2 && expected != store.content)
        var killed = 0
        let moments = moments(time) + [Duration](repeating: .zero, count: 50)
        for (index, moment) in moments.enumerated() where index < Self.kills || killed == 0 {
            let path = try store.copy("killed")
            if try await kill(["repair", path], after: moment) { killed += 1 }
            // Again, and killed again; then to its end.
            if try await kill(["repair", path], after: moment / 2) { killed += 1 }
            try Silt.run("repair", path).expect(status: 0)
            #expect(try AttackedStore.content(of: path) == expected, "killed after \(moment)")
            try Silt.run("verify", path).expect(status: 0)
            let kept = try #require(FileManager.default.enumerator(atPath: path)).compactMap { $0 as? String }
            for name in [segment, log] { #expect(kept.contains { $0.hasSuffix(name) }, "\(name) is gone") }
        }
        #expect(killed > 0)
        print("attack: tool killed, repair: \(killed) kills, \(expected.count) records each time")
    }
}
