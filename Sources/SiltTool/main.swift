#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

// Before any other file is opened.
if !System.occupyStandardDescriptors() { exit(ExitCode.inputOutput.rawValue) }
System.ignoreFileSizeSignal()
exit(Tool.run(Arguments.ofProcess()).rawValue)
