import Testing

@testable import Siltstone

/// How much memory the system leaves for files.
struct SystemMemoryTests {
    private func available(_ files: [String: String]) -> Int? { SystemMemory.available { files[$0] } }

    private static let machine = "MemTotal:       8000 kB\nMemFree: 1 kB\nMemAvailable:    4000 kB\n"

    @Test("without control groups it is what the machine has; nothing is known where the kernel tells nothing")
    func machine() {
        #expect(available(["/proc/meminfo": Self.machine]) == 4000 << 10)
        #expect(available([:]) == nil)
        #expect(available(["/proc/meminfo": "MemTotal: 8000 kB\n", "/proc/self/cgroup": "garbage\n::\n"]) == nil)
    }

    @Test("a group of version 1 leaves its limit, less what cannot be given up; its cached pages can")
    func version1() {
        let group = "/sys/fs/cgroup/memory/a/b"
        var files = [
            "/proc/meminfo": Self.machine, "/proc/self/cgroup": "7:cpu:/x\n4:memory:/a/b\n",
            "\(group)/memory.limit_in_bytes": "1000000\n", "\(group)/memory.usage_in_bytes": "900000\n",
            "\(group)/memory.stat": "cache 1\nactive_file 7\ntotal_inactive_file 300000\ntotal_active_file 100000\n",
        ]
        #expect(available(files) == 500_000)
        // A group around it with less.
        files["/sys/fs/cgroup/memory/a/memory.limit_in_bytes"] = "800000"
        files["/sys/fs/cgroup/memory/a/memory.usage_in_bytes"] = "700000"
        files["/sys/fs/cgroup/memory/a/memory.stat"] = "total_inactive_file 1000\n"
        #expect(available(files) == 101_000)
        files["/sys/fs/cgroup/memory/a/memory.usage_in_bytes"] = "900000000"
        #expect(available(files) == 0)
    }

    @Test("a limit of 63 bits is none, and neither is the word max")
    func unlimited() {
        let files = [
            "/proc/meminfo": Self.machine, "/proc/self/cgroup": "4:memory:/a\n0::/b\n",
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": "9223372036854771712\n",
            "/sys/fs/cgroup/memory/a/memory.usage_in_bytes": "5\n", "/sys/fs/cgroup/memory/a/memory.stat": "",
            "/sys/fs/cgroup/b/memory.max": "max\n", "/sys/fs/cgroup/b/memory.current": "5\n",
            "/sys/fs/cgroup/b/memory.stat": "",
        ]
        #expect(available(files) == 4000 << 10)
    }

    @Test("of a group of version 2 the lower of both limits counts, below its own path or, in a container, at the root")
    func version2() {
        for (line, directory) in [("0::/b/c", "/sys/fs/cgroup/b/c"), ("0::/../host", "/sys/fs/cgroup")] {
            let files = [
                "/proc/meminfo": Self.machine, "/proc/self/cgroup": line + "\n",
                "\(directory)/memory.max": "2000000\n", "\(directory)/memory.high": "1500000\n",
                "\(directory)/memory.current": "1000000\n",
                "\(directory)/memory.stat": "anon 5\ninactive_file 100\nactive_file 200\n",
            ]
            #expect(available(files) == 500_300, "\(line)")
        }
    }

    #if os(Linux)
    @Test("of this machine something is known")
    func here() throws {
        #expect(try #require(SystemMemory.available()) > 1 << 20)
    }
    #endif
}
