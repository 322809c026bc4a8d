import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What a file takes of the disk, in bytes, whatever its length.
func allocatedBytes(_ path: String) throws -> Int {
    var status = stat()
    guard stat(path, &status) == 0 else { throw CocoaError(.fileReadUnknown) }
    return Int(status.st_blocks) * 512
}
