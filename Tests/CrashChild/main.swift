// The program that the crash tests kill: it opens a store, makes the changes of a scenario one after the other, and
// notes in a mapped file which it has begun and which were acknowledged. See `CrashArguments` for its command line.

import Foundation

do {
    let arguments = try CrashArguments(CommandLine.arguments)
    try CrashRun(arguments).run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
