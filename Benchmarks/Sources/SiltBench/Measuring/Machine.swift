import Foundation

/// Brings the machine into the same state before every measurement.
enum Machine {
    /// Writes back what earlier work has left dirty, so that none of it is paid for by the next, then touches memory: last, as
    /// what is free goes back to the host within seconds.
    /// - Parameter bytes: of memory; 0 for none.
    static func prepare(prewarming bytes: Int) {
        writeBack()
        prewarm(bytes)
    }

    /// Keeps this process, and all that it starts from now on, on one processor.
    static func bindToOneProcessor() {
        #if os(Linux)
        // The C library's header hides these from Swift.
        typealias Call = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt64>) -> Int32
        guard let library = dlopen(nil, RTLD_NOW), let get = dlsym(library, "sched_getaffinity"),
            let set = dlsym(library, "sched_setaffinity")
        else { return }
        var processors = [UInt64](repeating: 0, count: 16)
        let size = processors.count * 8
        _ = unsafeBitCast(get, to: Call.self)(0, size, &processors)
        guard let place = processors.firstIndex(where: { $0 != 0 }) else { return }
        let first = processors[place] & ~(processors[place] - 1)
        processors = processors.indices.map { $0 == place ? first : 0 }
        _ = unsafeBitCast(set, to: Call.self)(0, size, &processors)
        #endif
    }

    /// Writes back what is dirty.
    static func writeBack() { sync() }

    /// Touches and frees `bytes` of memory.
    ///
    /// A virtual machine that hands free pages back to its host pays 2 to 10 µs for the first touch of each: a fill
    /// would carry that by chance, ten times its own cost of a page.
    private static func prewarm(_ bytes: Int) {
        guard bytes > 0 else { return }
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return }
        for offset in stride(from: 0, to: bytes, by: 4096) {
            memory.storeBytes(of: 1, toByteOffset: offset, as: UInt8.self)
        }
        munmap(memory, bytes)
    }

    /// Waits until this process's background work is over: three tenths of a second in a row with hardly any CPU used
    /// and nothing written. The same test for every engine, since not every one can be asked.
    /// - Parameter isHasty: whether some hundredths of a second with less than a third of a CPU used will do, for runs that
    ///   are not about speed.
    /// - Returns: the seconds that the background work went on for.
    static func settle(isHasty: Bool = false, timeout: Double = 600) -> Double {
        let interval = isHasty ? 0.02 : 0.1
        // To ask takes some, which in a debug build and at short intervals is no longer little.
        let share = isHasty ? 0.3 : 0.04
        let start = Clock.now()
        var quiet = 0
        var busyUntil = start
        var before = ProcessUsage.now()
        while quiet < 3, Double(before.moment - start) * 1e-9 < timeout {
            usleep(UInt32(interval * 1e6))
            let now = ProcessUsage.now()
            if now.processSeconds - before.processSeconds < share * interval, now.bytesWritten == before.bytesWritten {
                quiet += 1
            } else {
                quiet = 0
                busyUntil = now.moment
            }
            before = now
        }
        return Double(busyUntil - start) * 1e-9
    }

    /// Bytes that the files in a directory take on disk, below it too.
    static func diskBytes(_ directory: String) -> Int {
        guard let names = FileManager.default.enumerator(atPath: directory) else { return 0 }
        var sum = 0
        for case let name as String in names {
            var information = stat()
            if lstat("\(directory)/\(name)", &information) == 0 { sum += Int(information.st_blocks) * 512 }
        }
        return sum
    }

    /// The lengths of some of the files in a directory.
    /// - Parameter isMeant: of each name; nil where there is nothing to be told.
    /// - Returns: nil where there was nothing to be told of any.
    static func fileBytes(_ directory: String, _ isMeant: (String) -> Bool?) -> Int? {
        guard let names = FileManager.default.enumerator(atPath: directory) else { return nil }
        var sum: Int?
        for case let name as String in names {
            guard let isMeant = isMeant(name) else { continue }
            var information = stat()
            let isThere = isMeant && lstat("\(directory)/\(name)", &information) == 0
            sum = (sum ?? 0) + (isThere ? Int(information.st_size) : 0)
        }
        return sum
    }

    /// The name of the processor.
    static var processor: String {
        let text = KernelFile.contents("/proc/cpuinfo")
        let line = text?.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = line?.split(separator: ":").dropFirst().first?.trimmingCharacters(in: .whitespaces)
        return name ?? "unknown processor"
    }

    /// The type of the file system that `path` is on, where it is one on which a sync means nothing.
    static func volatileFileSystem(_ path: String) -> String? {
        let table = KernelFile.contents("/proc/mounts")
        let mounts = (table ?? "").split(separator: "\n").map { $0.split(separator: " ") }.filter { $0.count > 2 }
        let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path + "/"
        let holding = mounts.filter { real.hasPrefix($0[1].hasSuffix("/") ? $0[1] : $0[1] + "/") }
        let type = holding.max { $0[1].count < $1[1].count }.map { String($0[2]) }
        return type == "tmpfs" || type == "ramfs" ? type : nil
    }
}
