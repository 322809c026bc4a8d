#if PostgreSQL || MySQL
import Foundation

/// The seconds until TCP's next question to a silent host, of each connection of this machine to a port of the loopback;
/// nil for one that asks nothing. Empty where the system does not tell.
func keepaliveTimers(toPort port: Int) -> [Double?] {
    guard let text = try? String(contentsOfFile: "/proc/net/tcp", encoding: .utf8) else { return [] }
    return text.split(separator: "\n").dropFirst().compactMap { line -> Double?? in
        // The number, the address here, the address there, the state, the queues, the timer.
        let fields = line.split(separator: " ")
        guard fields.count > 5, let there = fields[2].split(separator: ":").last, Int(there, radix: 16) == port,
            fields[3] == "01"
        else { return nil }
        let timer = fields[5].split(separator: ":")
        guard timer.count == 2, timer[0] == "02", let hundredths = Int(timer[1], radix: 16) else {
            return .some(nil)
        }
        return .some(Double(hundredths) / 100)
    }
}
#endif
