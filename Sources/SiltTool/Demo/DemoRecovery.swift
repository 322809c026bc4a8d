import Foundation
import Siltstone

/// The process that the demonstration kills.
enum DemoWriter {
    /// Writes records forever, and reports each acknowledged write on standard output.
    static func writeUntilKilled(_ path: String) throws {
        var configuration = Configuration()
        configuration.durability = .buffered
        configuration.memTableBytes = 2 << 20  // so that flushes and compactions are under way when it dies
        let store = try KeyValueStore.open(at: path, configuration: configuration)
        var id: UInt64 = 0
        while true {
            try unsafe DemoRecords.withRecord(id: UInt(id)) { try unsafe store.put($0, $1) }
            id += 1
            try unsafe withUnsafeBytes(of: id.littleEndian) { bytes in
                try unsafe System.write(System.standardOutput, Bytes(bytes), name: "standard output")
            }
        }
    }
}

/// Kills a writer, and checks that all acknowledged writes survive.
struct DemoRecovery {
    let directory: String

    func run() throws {
        let path = directory + "/killed.silt"
        let acknowledged = try killWriter(path, after: 250_000)
        try Terminal.print("  killed after \(HumanUnits.count(acknowledged, "acknowledged write"))\n")
        let start = System.seconds
        let store = try KeyValueStore.open(at: path)
        try Terminal.print(
            "  opened again, and recovered, in \(HumanUnits.milliseconds(System.seconds - start)): "
                + "\(HumanUnits.count(store.statistics.memTableRecords)) of them came from the log\n")
        var wrong = 0
        for id in 0..<UInt(acknowledged) {
            try unsafe DemoRecords.withRecord(id: id) { key, value in
                let isRight = try unsafe store.withValue(key) {
                    unsafe $0.withUnsafeBytes { unsafe $0.elementsEqual(value) }
                }
                if isRight != true { wrong += 1 }
            }
        }
        var count = 0
        try store.forEach { _, _ in
            count += 1
            return true
        }
        let report = try store.verify()
        try Terminal.print(
            "  \(HumanUnits.count(acknowledged - wrong)) of them are there, and "
                + "\(HumanUnits.count(count - acknowledged)) more that it had no time to tell of; "
                + "\(HumanUnits.count(report.problems.count, "problem")) in "
                + "\(HumanUnits.bytes(report.bytesChecked))\n")
        try store.close()
        guard wrong == 0, count - acknowledged <= 1, report.isClean else {
            throw DemoFailure(message: "\(wrong) acknowledged writes are lost, \(count - acknowledged) were never made")
        }
    }

    /// Starts a writer and kills it.
    /// - Returns: the number of writes that it reported.
    private func killWriter(_ path: String, after writes: Int) throws -> Int {
        guard let executable = Bundle.main.executableURL else {
            throw DemoFailure(message: "the tool cannot find itself")
        }
        let writer = Process()
        writer.executableURL = executable
        writer.arguments = ["demo", "--write-until-killed", path]
        let pipe = Pipe()
        writer.standardOutput = pipe
        try writer.run()
        var bytes = 0
        var last = Data()
        while bytes < writes * 8 {
            guard let data = try pipe.fileHandleForReading.read(upToCount: 1 << 16), !data.isEmpty else { break }
            bytes += data.count
            last = (last + data).suffix(16)
        }
        System.killProcess(writer.processIdentifier)
        // Reports from before the kill are still in the pipe.
        while let data = try pipe.fileHandleForReading.read(upToCount: 1 << 16), !data.isEmpty {
            bytes += data.count
        }
        writer.waitUntilExit()
        guard bytes >= writes * 8 else { throw DemoFailure(message: "the writer ended by itself") }
        return bytes / 8
    }
}
