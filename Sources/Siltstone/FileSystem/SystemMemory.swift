/// How much memory the system leaves this process for the pages of its files: what is free, and what other cached pages
/// could be given up for.
///
/// The machine counts, and each control group that the process is in, of version 1 or 2: a group counts the pages that its
/// processes read as its own, and gives up the oldest ones where it comes to its limit.
enum SystemMemory {
    /// Bytes; nil where the system does not tell.
    static func available() -> Int? { available { Platform.smallFile($0) } }

    /// As ``available()``.
    /// - Parameter read: the text of a file of the kernel's; nil where there is none.
    static func available(reading read: (String) -> String?) -> Int? {
        var least = read("/proc/meminfo").flatMap { figure("MemAvailable:", in: $0) }.map { $0 << 10 }
        for group in groups(read("/proc/self/cgroup") ?? "") {
            guard let left = group.left(read) else { continue }
            least = min(least ?? left, left)
        }
        return least
    }

    /// The number behind a name at the beginning of a line.
    private static func figure(_ name: String, in text: String) -> Int? {
        for line in text.split(separator: "\n") where line.hasPrefix(name) {
            return line.dropFirst(name.count).split(separator: " ").first.flatMap { Int($0) }
        }
        return nil
    }

    // MARK: Control groups

    /// A control group, by its directory, and what its files are called.
    private struct Group {
        var directory: String
        var isVersion2: Bool

        /// Bytes that its processes may take beside what they have and cannot give up; nil where it has no limit.
        func left(_ read: (String) -> String?) -> Int? {
            func number(_ name: String) -> Int? {
                read("\(directory)/\(name)").flatMap { Int($0.split(separator: "\n").first ?? "") }
            }
            let limits = isVersion2 ? ["memory.max", "memory.high"] : ["memory.limit_in_bytes"]
            // Version 1 says with a number of 63 bits that there is no limit.
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

    /// The groups that limit this process: its own and those around it.
    /// - Parameter text: of `/proc/self/cgroup`.
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
                // In a container the path may be that of the host, and what is mounted the group itself.
                groups.append(Group(directory: root, isVersion2: isVersion2))
            }
        }
        return groups
    }
}
