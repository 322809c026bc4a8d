// The program that the crash tests kill. As a rule it opens a store, makes the changes of a scenario one after the other,
// and notes in a mapped file which it has begun and which were acknowledged: see `CrashArguments` for its command line.
// `hold` and `race` are about who owns a store: see `LockHolder` and `LockRace`. `tables` changes a table: see `TableLife`.
// `closed` has no standard descriptors: see `ClosedDescriptors`.

import Foundation

do {
    switch CommandLine.arguments.dropFirst().first {
    case "hold": try LockHolder(CommandLine.arguments).run()
    case "race": try LockRace(CommandLine.arguments).run()
    case "closed": try await ClosedDescriptors(CommandLine.arguments).run()
    case "tables": try TableLife(CommandLine.arguments).run()
    default: try CrashRun(try CrashArguments(CommandLine.arguments)).run()
    }
} catch {
    // Fails where the standard error is closed; the exit code tells enough then.
    do { try FileHandle.standardError.write(contentsOf: Data("\(error)\n".utf8)) } catch {}
    exit(1)
}
