import Foundation
import Testing

/// The file of silt report.
struct ReportTargetTests {
    private let directory: TemporaryDirectory
    private let start = "<!doctype html>"

    init() throws {
        directory = try TemporaryDirectory()
        try Silt.run("put", directory.file("s"), "key", "value").expect(status: 0)
    }

    @Test("a link stays a link, and the page is in its target, there before or not", arguments: [true, false])
    func link(isThere: Bool) throws {
        if isThere { _ = try directory.write("target", Array("old".utf8)) }
        try Silt.shell(
            #"cd "$0" && ln -s target link && silt report --quiet --html link s && test -L link"#, directory.path
        ).expect(status: 0)
        #expect(String(decoding: try directory.read("target"), as: UTF8.self).hasPrefix(start))
    }

    @Test("a named pipe stays one, and its reader gets the page")
    func namedPipe() throws {
        // Without a writer the reader would wait for ever.
        let result = try Silt.shell(
            #"""
            cd "$0" && mkfifo pipe && { cat pipe & } && reader=$! && silt report --quiet --html pipe s
            status=$?
            [ $status = 0 ] && test -p pipe || { kill $reader; exit 9; }
            wait && exit $status
            """#, directory.path)
        result.expect(status: 0)
        #expect(result.text.hasPrefix(start) && result.text.contains("</html>"))
    }

    @Test("a pipe that has only the name of a descriptor gets the page")
    func descriptor() throws {
        let result = try Silt.shell(
            #"cd "$0" && silt report --quiet --html /dev/fd/3 s 3>&1 >/dev/null | cat"#, directory.path)
        result.expect(status: 0)
        #expect(result.text.hasPrefix(start))
    }
}
