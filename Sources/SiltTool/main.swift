#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

System.ignoreFileSizeSignal()
exit(Tool.run(Arguments.ofProcess()).rawValue)
