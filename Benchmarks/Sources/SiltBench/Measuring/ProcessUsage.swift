import Foundation

/// What the process, and the machine around it, have used so far.
struct ProcessUsage: Sendable {
    /// Seconds of CPU of this process, all threads.
    var processSeconds: Double
    /// Seconds of CPU of the whole machine; 0 where it does not tell.
    var machineSeconds: Double
    /// Bytes of pages that this process made dirty in files, by write or by mapping; nil where the kernel does not tell.
    var bytesWritten: Int?
    /// When it was taken, on ``Clock``.
    var moment: UInt64

    static func now() -> ProcessUsage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) * 1e-6 }
        return ProcessUsage(
            processSeconds: seconds(usage.ru_utime) + seconds(usage.ru_stime), machineSeconds: machineSeconds(),
            bytesWritten: field("write_bytes:", of: "/proc/self/io"), moment: Clock.now())
    }

    /// Cores that other processes kept busy since `start`, or that the hypervisor gave to other guests while this one wanted
    /// them: above 0.3, a figure is not to be trusted. Nil where that was too short a time to tell.
    func otherCores(since start: ProcessUsage) -> Double? {
        let elapsed = Double(moment - start.moment) * 1e-9
        // The machine counts in hundredths of a second: shorter than a few of them, it says nothing.
        guard elapsed > 0.05, machineSeconds > 0 else { return nil }
        let others = (machineSeconds - start.machineSeconds) - (processSeconds - start.processSeconds)
        return max(0, others / elapsed)
    }

    /// The largest resident set since ``resetPeakMemory()``, mapped file pages included, in bytes.
    static var peakMemoryBytes: Int? { field("VmHWM:", of: "/proc/self/status").map { $0 << 10 } }

    /// Starts a new peak. Where the kernel refuses, peaks are those of the process's whole life.
    static func resetPeakMemory() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }

    /// Memory that is resident now: of the process alone, and mapped from files. 0 where the kernel does not tell.
    static var memory: (anonymous: Int, mapped: Int) {
        guard let text = KernelFile.contents("/proc/self/status") else { return (0, 0) }
        func bytes(_ name: String) -> Int { (field(name, in: text) ?? 0) << 10 }
        return (bytes("RssAnon:"), bytes("RssFile:") + bytes("RssShmem:"))
    }

    /// Threads of the process; nil where the kernel does not tell.
    static var threadCount: Int? { field("Threads:", of: "/proc/self/status") }

    private static func machineSeconds() -> Double {
        guard let line = KernelFile.contents("/proc/stat")?.split(separator: "\n").first, line.hasPrefix("cpu ") else {
            return 0
        }
        let fields = line.split(separator: " ").dropFirst().compactMap { Double($0) }
        guard fields.count >= 8 else { return 0 }
        // user, nice, system, irq, softirq, steal; not idle or iowait.
        let ticks = fields[0] + fields[1] + fields[2] + fields[5] + fields[6] + fields[7]
        return ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    private static func field(_ name: String, of path: String) -> Int? {
        KernelFile.contents(path).flatMap { field(name, in: $0) }
    }

    private static func field(_ name: String, in text: String) -> Int? {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix(name) }) else { return nil }
        return line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
}
