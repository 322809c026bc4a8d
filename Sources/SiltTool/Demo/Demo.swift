import Foundation
import Siltstone

extension Command {
    static let demo = Command(
        name: "demo", operands: "[DIRECTORY]", summary: "show the engine at work, in under a minute",
        discussion: """
            Runs client programs on a store, and on other repositories that take its place by one
            expression; makes tables, joins them and follows a query while its rows change; loads a
            million records; kills a process in the middle of writing, and finds everything that it
            was told was written; verifies every byte; compacts. Says at each step what it does and
            how fast.

            Works in a new directory that is removed at the end (an interruption leaves it in
            TMPDIR), or in DIRECTORY, which must not exist yet and is kept.
            """,
        options: [.demoWriter, .demoRecords],
        examples: ["silt demo", "silt demo /tmp/look-at-it"],
        run: Demo.run)
}

extension Option {
    /// Used by the demonstration to start the process that it kills.
    fileprivate static let demoWriter = Option("write-until-killed", "what the killed process does")
    fileprivate static let demoRecords = Option(
        "records", argument: "N", "records to load, 1,000,000 if not given")
}

/// The steps of the demonstration.
private struct Demo {
    private let directory: String
    private let records: Int

    static func run(_ invocation: Invocation) throws -> ExitCode {
        let records = try invocation.number(.demoRecords) ?? 1_000_000
        if invocation.has(.demoWriter) {
            guard let path = invocation.operand(0) else { throw invocation.usage("missing DIRECTORY") }
            try DemoWriter.writeUntilKilled(path)
            return .success
        }
        let isTemporary = invocation.operand(0) == nil
        let directory =
            invocation.operand(0)
            ?? FileManager.default.temporaryDirectory.appendingPathComponent("silt-demo-\(UUID().uuidString)").path
        do { try System.makeDirectory(directory) } catch {
            throw ToolError(error.isWrongPath ? .usage : .inputOutput, error.description)
        }
        // A reader that goes away must not leave the temporary directory behind.
        System.ignoreBrokenPipe()
        let demo = Demo(directory: directory, records: records)
        let result = Result { try demo.run() }
        if isTemporary { try FileManager.default.removeItem(atPath: directory) }
        try result.get()
        if !isTemporary { try Terminal.print("\nThe stores are in \(directory).\n") }
        return .success
    }

    private func run() throws {
        let start = System.seconds
        try title("1. Client programs, and a database changed by one expression")
        try DemoClients(directory: directory).run()
        try title("2. Tables: a join, its plan, and a live query")
        try AsyncWork.wait { [directory] in try await DemoTables(directory: directory).run() }
        try title("3. \(HumanUnits.count(records, "record")) of 16 + 100 bytes, in random order")
        try load()
        try title("4. A process is killed in the middle of writing")
        try DemoRecovery(directory: directory).run()
        try Terminal.print("\nAll of that took \(HumanUnits.duration(System.seconds - start)).\n")
    }

    private func title(_ text: String) throws { try Terminal.print("\n\(text)\n\n") }

    // MARK: A million records

    private var path: String { directory + "/million.silt" }

    private func load() throws {
        var configuration = Configuration()
        configuration.durability = .buffered
        let store = try KeyValueStore.open(at: path, configuration: configuration)
        let order = DemoRecords(count: records)
        try step("put, one by one", records) {
            for number in 0..<records { try unsafe order.withRecord(number) { try unsafe store.put($0, $1) } }
        }
        try step("sync", 1) { try store.sync() }
        var found = 0
        try step("get, in another order", records) {
            for number in 0..<records {
                try unsafe order.withRecord(records - 1 - number) { key, value in
                    let isRight = try unsafe store.withValue(key) {
                        unsafe $0.withUnsafeBytes { unsafe $0.elementsEqual(value) }
                    }
                    if isRight == true { found += 1 }
                }
            }
        }
        try check(found == records, "found \(found) of \(records)")
        var walked = 0
        try step("walk all in key order", records) {
            try store.forEach { _, _ in
                walked += 1
                return true
            }
        }
        try check(walked == records, "walked over \(walked) of \(records)")
        try step("overwrite half", records / 2) {
            for number in 0..<records / 2 { try unsafe order.withRecord(number) { try unsafe store.put($0, $1) } }
        }
        try finish(store)
    }

    /// Compacts and verifies the store.
    private func finish(_ store: KeyValueStore) throws {
        try store.flush()
        let before = store.statistics.segmentBytes
        try step("compact", 1) { try store.compact() }
        let after = store.statistics.segmentBytes
        let live = records * 116
        try note(
            "\(HumanUnits.bytes(before)) before, \(HumanUnits.bytes(after)) after, for \(HumanUnits.bytes(live)) of keys "
                + "and values")
        let start = System.seconds
        let report = try store.verify()
        try note(
            "verify: \(HumanUnits.bytes(report.bytesChecked)) in \(HumanUnits.duration(System.seconds - start)), "
                + "\(HumanUnits.count(report.problems.count, "problem"))")
        try check(report.isClean, report.problems.first?.description ?? "")
        try store.close()
    }

    private func step(_ name: String, _ count: Int, _ body: () throws -> Void) throws {
        let start = System.seconds
        try body()
        let seconds = System.seconds - start
        let rate = count > 1 ? "\(HumanUnits.count(Int(Double(count) / max(seconds, 1e-9))))/s" : ""
        try DemoText.row(name, HumanUnits.milliseconds(seconds), rate)
    }

    private func note(_ text: String) throws { try Terminal.print("  \(text)\n") }

    private func check(_ condition: Bool, _ text: String) throws {
        if !condition { throw DemoFailure(message: text) }
    }
}

/// The demonstration failed because of a bug.
struct DemoFailure: Error, CustomStringConvertible {
    var message: String
    var description: String { "the demonstration failed: \(message)" }
}

/// Formats the demonstration's lines.
enum DemoText {
    /// A name with right-aligned figures.
    static func row(_ name: String, _ figures: String...) throws {
        let label = name + String(repeating: " ", count: max(1, 26 - name.count))
        let columns = figures.map { String(repeating: " ", count: max(1, 14 - $0.count)) + $0 }
        try Terminal.print("  " + label + columns.joined() + "\n")
    }
}

extension HumanUnits {
    /// A short duration: `12.3 ms`, `4.5 s`.
    static func milliseconds(_ seconds: Double) -> String {
        seconds < 0.9995 ? "\(decimal(seconds * 1000)) ms" : duration(seconds)
    }
}

/// Records of 16 + 100 bytes. Their keys come in a pseudo-random order, and their values are computed from the keys.
struct DemoRecords {
    let count: Int
    private let step: Int

    init(count: Int) {
        self.count = count
        // A step coprime to the count visits every number once. Near the golden ratio, consecutive numbers lie far
        // apart.
        var step = max(1, Int(Double(count) * 0.618))
        while Self.divisor(step, count) > 1 { step += 1 }
        self.step = step
    }

    private static func divisor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : divisor(b, a % b) }

    /// Passes the key and the value of the record at place `number` to `body`.
    func withRecord<R>(
        _ number: Int, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> R
    ) throws -> R {
        try unsafe Self.withRecord(id: number.multipliedFullWidth(by: step).low.magnitude % UInt(max(count, 1)), body)
    }

    static func withRecord<R>(
        id: UInt, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> R
    ) throws -> R {
        try unsafe withUnsafeTemporaryAllocation(byteCount: 116, alignment: 8) { buffer in
            var rest = id
            for index in stride(from: 15, through: 0, by: -1) {
                unsafe buffer[index] = 0x30 + UInt8(rest % 10)
                rest /= 10
            }
            var word = UInt64(id) &* 0x9e37_79b9_7f4a_7c15
            for index in 16..<116 {
                unsafe buffer[index] = UInt8(truncatingIfNeeded: word >> 56)
                word = word &* 6_364_136_223_846_793_005 &+ 1
            }
            return try unsafe body(
                UnsafeRawBufferPointer(rebasing: buffer[..<16]), UnsafeRawBufferPointer(rebasing: buffer[16...]))
        }
    }
}
