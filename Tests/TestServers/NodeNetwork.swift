import Foundation
import Synchronization

/// A network of the tests' own: machines that are network namespaces, each with an address, and this process with another.
/// A bridge joins them.
///
/// A machine loses its packets to another by an entry of its neighbour table: the other's address is said to be at an interface
/// that nobody has. As in a network that drops packets, neither of them hears of it. This needs nothing but `ip`.
package final class NodeNetwork: Sendable {
    /// A direction between two machines.
    private struct Way: Hashable {
        var source: Int
        var target: Int
    }

    package static let program: String? = ["/usr/sbin/ip", "/sbin/ip", "/usr/bin/ip"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Why there can be no such network; nil where there can be.
    package static let absence: String? = {
        if program == nil { return "There is no ip here (Debian: iproute2)." }
        do { try NodeNetwork(machines: 1).remove() } catch {
            return
                "Network namespaces are not allowed here (they need root, or CAP_NET_ADMIN and CAP_SYS_ADMIN): \(error)"
        }
        return nil
    }()

    /// The hardware address that nobody has.
    private static let nowhere = "02:00:00:00:00:ff"

    private let name: String
    private let prefix: String
    private let count: Int
    private let lifeline: Lifeline
    private let losses = Mutex<Set<Way>>([])

    /// Makes a network; it is removed when this process ends, too.
    package init(machines count: Int) throws {
        guard let program = Self.program else { throw ServerFailure("There is no ip.") }
        name = "slt" + String(UInt32.random(in: 0x1000...0xffff), radix: 16)
        // 198.18.0.0/15 is set aside for tests (RFC 2544).
        prefix = "198.18.\(UInt8.random(in: 1...254))"
        self.count = count
        let name = name
        let removals = (0..<count).map { "\(program) link del \(name)v\($0); \(program) netns del \(name)n\($0)" }
        lifeline = try Lifeline(
            "read -r line; (\(removals.joined(separator: "; ")); \(program) link del \(name)b) >/dev/null 2>&1; true")
        do { try make() } catch {
            remove()
            throw error
        }
    }

    private func make() throws {
        try Self.ip("link", "add", "\(name)b", "type", "bridge")
        try Self.ip("addr", "add", "\(prefix).254/24", "dev", "\(name)b")
        try Self.ip("link", "set", "\(name)b", "up")
        for number in 0..<count {
            let machine = machine(number)
            try Self.ip("netns", "add", machine)
            try Self.ip("link", "add", link(number), "type", "veth", "peer", "name", "eth0", "netns", machine)
            try Self.ip("link", "set", link(number), "master", "\(name)b", "up")
            try Self.ip("-n", machine, "addr", "add", "\(address(number))/24", "dev", "eth0")
            for interface in ["lo", "eth0"] { try Self.ip("-n", machine, "link", "set", interface, "up") }
        }
    }

    private static func ip(_ words: String...) throws {
        try ServerProcess.run([program ?? "ip"] + words, isPrivileged: true)
    }

    /// Removes the network. What runs on its machines goes on, alone.
    package func remove() { lifeline.end() }

    /// The namespace of a machine.
    package func machine(_ number: Int) -> String { "\(name)n\(number)" }

    /// The address of a machine.
    package func address(_ number: Int) -> String { "\(prefix).\(number + 1)" }

    /// The addresses of all.
    package var range: String { "\(prefix).0/24" }

    /// This process's end of a machine's cable.
    private func link(_ number: Int) -> String { "\(name)v\(number)" }

    // MARK: Faults

    /// Pulls out a machine's cable.
    package func unplug(_ number: Int) throws { try Self.ip("link", "set", link(number), "down") }

    package func plug(_ number: Int) throws { try Self.ip("link", "set", link(number), "up") }

    /// Loses all packets from a machine to others, in this direction alone.
    package func lose(from source: Int, to targets: [Int]) throws {
        for target in targets where target != source {
            losses.withLock { _ = $0.insert(Way(source: source, target: target)) }
            try Self.ip(
                "-n", machine(source), "neigh", "replace", address(target), "lladdr", Self.nowhere, "dev", "eth0",
                "nud",
                "permanent")
        }
    }

    /// Ends all losses.
    package func heal() throws {
        for way in losses.withLock({ $0 }) {
            try Self.ip("-n", machine(way.source), "neigh", "del", address(way.target), "dev", "eth0")
            losses.withLock { _ = $0.remove(way) }
        }
    }
}
