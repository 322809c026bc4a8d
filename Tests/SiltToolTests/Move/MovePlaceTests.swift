import Foundation
import Testing

@testable import SiltTool

struct MovePlaceTests {
    @Test(
        "that are addresses of other databases name no store, and no password of them is shown",
        arguments: [
            "host=db dbname=shop password=secret", "hostaddr=10.0.0.1 password=secret",
            "user=secret host=db dbname=shop",
            "Password = secret", "password =secret", "application_name='a b' passfile=secret", "password=x://secret",
            "postgress://app:secret@db/x", "postgress://app:unescaped/secret@db/x", "password=secret postgress://db",
            "PGPASSWORD=secret oracle://db/shop",
        ])
    func addresses(_ text: String) {
        #expect(MovePlace.isAddress(text))
        for isTarget in [false, true] {
            let error = #expect(throws: ToolError.self) { _ = try MovePlace(text).open(isTarget: isTarget) }
            #expect(error?.exitCode == .usage && error?.message.contains("is no place") == true)
            #expect(error?.message.contains("secret") == false)
        }
    }

    @Test("whose scheme is unknown are told by it")
    func scheme() {
        let error = #expect(throws: ToolError.self) { _ = try MovePlace("postgress://app@db/x").open(isTarget: true) }
        #expect(error?.message.hasPrefix("postgress://… is no place") == true)
    }

    @Test("with a known scheme and no URL behind it are not shown either")
    func noURL() {
        for text in ["postgres:/app:secret@db/x", "postgres:password=secret", "mysql:/app:secret@db/x"] {
            let error = #expect(throws: (any Error).self) { _ = try MovePlace(text).open(isTarget: true) }
            #expect(error.map { Failure($0).message.contains("secret") } == false, "\(text)")
        }
    }

    @Test(
        "are paths of stores where a slash or a dot with a slash is in front, or no address is in them",
        arguments: [
            "./a://b", "../host=db", "/tmp/user=app host=db", "./password=x", "people.silt", "user.silt", "my host",
            "a=b", "size=5 host",
        ])
    func paths(_ text: String) {
        #expect(MovePlace(text) == .store(path: text))
        #expect(!MovePlace.isAddress(text))
    }

    @Test("are the same where the system comes to the same", arguments: [false, true])
    func links(exist: Bool) throws {
        let directory = try TemporaryDirectory()
        func make(_ name: String) throws {
            try FileManager.default.createDirectory(
                atPath: directory.file(name), withIntermediateDirectories: true)
        }
        try make("other/dir")
        try FileManager.default.createSymbolicLink(
            atPath: directory.file("link"), withDestinationPath: directory.file("other/dir"))
        if exist {
            try make("x.silt")
            try make("other/x.silt")
        }
        func areSame(_ first: String, _ second: String) -> Bool {
            MovePlace(directory.file(first)).isSame(as: MovePlace(directory.file(second)))
        }
        #expect(!areSame("link/../x.silt", "x.silt"))
        #expect(areSame("link/../x.silt", "other/x.silt"))
        #expect(areSame("other/../x.silt", "x.silt"))
        #expect(areSame("./x.silt/", "x.silt"))
    }
}
