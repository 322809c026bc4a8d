#if PostgreSQL || MySQL
import Foundation
import TestServers

/// Certificates that have signed themselves: `right` is for 127.0.0.1, `wrong` for another address.
struct Certificates {
    let directory: String

    /// Whether they can be made here.
    static let arePossible = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/siltstone-tls-\(UUID().uuidString.prefix(8))"
        try ServerDirectory.make(directory)
        for (name, address) in [("right", "IP:127.0.0.1"), ("wrong", "IP:127.0.0.9")] {
            try ServerProcess.run([
                "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj",
                "/CN=\(name)", "-addext", "subjectAltName=\(address)", "-keyout", key(name), "-out",
                certificate(name),
            ])
        }
    }

    func certificate(_ name: String) -> String { "\(directory)/\(name).pem" }
    func key(_ name: String) -> String { "\(directory)/\(name).key" }

    /// A file with the certificate that clients trust.
    var trusted: String { "\(directory)/trusted.pem" }

    /// Makes clients trust a certificate.
    func trust(_ name: String) throws {
        try Data(contentsOf: URL(fileURLWithPath: certificate(name))).write(to: URL(fileURLWithPath: trusted))
    }

    func remove() { try? FileManager.default.removeItem(atPath: directory) }
}
#endif
