/// The memory that the system leaves this process for the pages of its files: free memory, and the cached pages that can
/// be evicted, which include those of its own files.
///
/// The limits are those of the machine and of each control group of the process, of version 1 or 2. A group is charged for
/// the pages of files that its processes read, and evicts the oldest ones when it reaches its limit.
enum SystemMemory {
    /// Returns the least of what these limits leave, in bytes; nil if the system reports none.
    static func available() -> Int? { available { Platform.smallFile($0) } }

    /// Same as ``available()``.
    /// - Parameter read: returns the text of a file of the kernel; nil if there is none.
    static func available(reading read: (String) -> String?) -> Int? {
        var smallest = read("/proc/meminfo").flatMap { figure("MemAvailable:", in: $0) }.map { $0 << 10 }
        for group in groups(read("/proc/self/cgroup") ?? "") {
            guard let left = group.left(read) else { continue }
            smallest = min(smallest ?? left, left)
        }
        return smallest
    }

    /// Returns the number after a name at the start of a line.
    private static func figure(_ name: String, in text: String) -> Int? {
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        return line?.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
    }

    // MARK: Control groups

    /// A control group: its directory, and the version, which decides the names of its files.
    private struct Group {
        var directory: String
        var isVersion2: Bool

        /// Returns the limit minus the memory in use that cannot be evicted, in bytes, at least 0; nil if the group has
        /// no limit or its files cannot be read.
        func left(_ read: (String) -> String?) -> Int? {
            func number(_ name: String) -> Int? {
                read("\(directory)/\(name)").flatMap { Int($0.split(separator: "\n").first ?? "") }
            }
            let limits = isVersion2 ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
            // Version 1 expresses "no limit" as a number of 63 bits.
            guard let limit = limits.compactMap(number).min(), limit < 1 << 60,
                let usage = number(isVersion2 ? "memory.current" : "memory.usage_in_bytes"),
                let counts = read("\(directory)/memory.stat")
            else { return nil }
            let prefix = isVersion2 ? "" : "total_"
            let cached = ["active_file ", "inactive_file "].reduce(0) { sum, name in
                sum + (figure(prefix + name, in: counts) ?? 0)
            }
            return max(0, limit - max(0, usage - cached))
        }
    }

    /// Returns the groups that limit this process: its own and its ancestors.
    /// - Parameter text: the contents of `/proc/self/cgroup`.
    private static func groups(_ text: String) -> [Group] {
        var groups: [Group] = []
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { continue }
            let isVersion2 = parts[1].isEmpty
            guard isVersion2 || parts[1].split(separator: ",").contains("memory") else { continue }
            let roots = isVersion2 ? ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] : ["/sys/fs/cgroup/memory"]
            for root in roots {
                var path = parts[2].hasPrefix("/") ? parts[2] : "/"
                while let slash = path.lastIndex(of: "/") {
                    groups.append(Group(directory: root + path, isVersion2: isVersion2))
                    path = path[..<slash]
                }
                // In a container, the path may be that of the host, while the mounted directory is the group itself.
                groups.append(Group(directory: root, isVersion2: isVersion2))
            }
        }
        return groups
    }
}
