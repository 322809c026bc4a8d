// Opens a store, writes, rests, opens another, and prints what that has cost: a name, a tab, a value.
import Glibc
import Siltstone

/// Milliseconds of the monotonic clock.
func now() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
}

/// A number of `/proc/self/status`.
func status(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        if text.hasPrefix(name) {
            return Int(text.dropFirst(name.count).filter(\.isNumber)) ?? 0
        }
    }
    return 0
}

/// Microseconds of CPU so far.
func processor() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Int(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000
        + Int(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}

func milliseconds(_ value: Double) -> String { "\((value * 1000).rounded() / 1000) ms" }

func tell(_ name: String, _ value: String) { print("\(name)\t\(value)") }

func tellMemory(_ moment: String) {
    tell("\(moment): memory, anonymous + mapped", "\(status("RssAnon:")) + \(status("RssFile:")) kB")
    tell("\(moment): threads", "\(status("Threads:"))")
}

let path = CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "probe.silt"
let start = now()
let before = (anonymous: status("RssAnon:"), mapped: status("RssFile:"))
let begun = now()
let store = try KeyValueStore.open(at: path)
let opened = now()
try store.put("first".utf8, "write".utf8)
let written = now()
tell("from a new store's open to its first write on stable storage", milliseconds(written - begun))
tell("of it, open", milliseconds(opened - begun))
tell("before: memory, anonymous + mapped", "\(before.anonymous) + \(before.mapped) kB")
tellMemory("after the first write")
sleep(1)
let resting = processor()
sleep(1)
tell("at rest: CPU in a second", "\(processor() - resting) µs")
tellMemory("at rest")
let second = try KeyValueStore.open(at: path + "-2")
try second.put("first".utf8, "write".utf8)
sleep(1)
tellMemory("two stores at rest")
do {
    _ = try KeyValueStore.open(at: path)
    tell("a store that is open is opened again", "is let in")
} catch {
    tell("a store that is open is opened again", "\(error.code)")
}
try second.close()
try store.close()
tellMemory("both closed")
let again = now()
let reopened = try KeyValueStore.open(at: path)
_ = try reopened.get("first".utf8)
tell("from open to the first read, reopened", milliseconds(now() - again))
try reopened.close()
