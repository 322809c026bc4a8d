import Foundation

/// A control group that bounds the memory of a process, its part of the page cache included: Linux, for root.
struct MemoryGroup {
    let directory: String

    /// Makes a group below that of this process, or, of version 2, beside it: there a group that has processes may not have
    /// groups below it.
    /// - Parameter limit: bytes.
    /// - Throws: ``BenchmarkError`` with what is missing.
    init(limit: Int) throws {
        guard geteuid() == 0 else {
            throw BenchmarkError("it bounds memory by a control group, and needs root for that")
        }
        let name = "silt-bench-\(getpid())"
        var reason = "no control groups for memory are mounted below /sys/fs/cgroup"
        for (parent, file) in Self.parents() {
            let directory = "\(parent)/\(name)"
            guard mkdir(directory, 0o755) == 0 || errno == EEXIST else {
                reason = "\(directory) cannot be made: \(String(cString: strerror(errno)))"
                continue
            }
            if Self.write("\(limit)", to: "\(directory)/\(file)") {
                self.directory = directory
                return
            }
            reason = "\(directory)/\(file) cannot be written: \(String(cString: strerror(errno)))"
            rmdir(directory)
        }
        throw BenchmarkError(reason)
    }

    /// Where groups can be made, and the file with the limit.
    private static func parents() -> [(directory: String, limitFile: String)] {
        var parents: [(String, String)] = []
        for line in (KernelFile.contents("/proc/self/cgroup") ?? "").split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let path = parts[2] == "/" ? "" : String(parts[2])
            if parts[1].split(separator: ",").contains("memory") {
                parents.append(("/sys/fs/cgroup/memory" + path, "memory.limit_in_bytes"))
            } else if parts[1].isEmpty {
                let above = String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
                parents.append(("/sys/fs/cgroup" + above, "memory.max"))
            }
        }
        return parents
    }

    /// Puts this process into a group.
    static func enter(_ directory: String) throws {
        guard write("\(getpid())", to: "\(directory)/cgroup.procs") else {
            throw BenchmarkError("cannot enter \(directory): \(String(cString: strerror(errno)))")
        }
    }

    /// Removes the group, once its processes have ended.
    func remove() {
        for _ in 0..<50 where rmdir(directory) != 0 && errno == EBUSY { usleep(20_000) }
    }

    private static func write(_ text: String, to path: String) -> Bool {
        guard let file = fopen(path, "w") else { return false }
        let isWritten = fputs(text, file) >= 0
        // The kernel sees it, and refuses it, when it is flushed.
        return fclose(file) == 0 && isWritten
    }
}
