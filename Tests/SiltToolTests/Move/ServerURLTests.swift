import Testing

@testable import SiltTool

/// URLs of servers in reports and in a move's progress.
struct ServerURLTests {
    @Test(
        "have no password, however it is written",
        arguments: [
            ("postgres://app:secret@db:5432/shop", "postgresql://app@db:5432/shop"),
            ("postgres://app@a:1,b:2/shop?sslmode=require", "postgresql://app@a:1,b:2/shop?sslmode=require"),
            ("mysql://app:se@cr@et@db/shop", "mysql://app@db/shop"),
            ("mysql://app:s:e@db/shop", "mysql://app@db/shop"),
            (
                "mysql://db/shop?user=a@b&password=secret&ssl-mode=required",
                "mysql://db/shop?user=a@b&password=&ssl-mode=required"
            ),
            (
                "postgres://db/shop?pass%77ord=secret&sslpassword=secret",
                "postgresql://db/shop?pass%77ord=&sslpassword="
            ),
            ("postgres:///shop", "postgresql:///shop"),
            ("mysql://db", "mysql://db"),
        ])
    func withoutPassword(_ url: String, _ shown: String) {
        #expect(MovePlace(url).description == shown)
    }

    @Test("say when libpq would take a part of the password for a host")
    func ambiguous() {
        #expect(ServerURL("postgresql://app:se@cret@db/shop").hasAmbiguousPassword)
        #expect(!ServerURL("postgresql://app:se%40cret@db/shop?user=a@b").hasAmbiguousPassword)
        #expect(!ServerURL("postgresql://db/shop").hasAmbiguousPassword)
    }
}
