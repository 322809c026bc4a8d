import Testing

@testable import SiltTool

struct UsageTests {
    @Test("Help and version go to standard output")
    func help() throws {
        for arguments in [["--help"], ["-h"], ["help"]] {
            let result = try Silt.run(arguments[0])
            result.expect(status: 0)
            #expect(result.text == Help.tool(Tool.commands))
        }
        for command in Tool.commands {
            let result = try Silt.run(command.name, "--help")
            result.expect(status: 0)
            #expect(result.text == Help.command(command))
            #expect(try Silt.run("help", command.name).text == result.text)
        }
        #expect(try Silt.run("--version").text == "silt \(Tool.version)\n")
    }

    @Test("A wrong command line is one line of error that points to the help, and status 2")
    func mistakes() throws {
        try Silt.run().expect(status: 2, error: "see 'silt --help'")
        try Silt.run("frobnicate").expect(status: 2, error: "unknown command 'frobnicate'")
        try Silt.run("--frobnicate").expect(status: 2, error: "unknown option --frobnicate")
        try Silt.run("get").expect(status: 2, error: "missing STORE; see 'silt get --help'")
        try Silt.run("get", "s").expect(status: 2, error: "missing KEY")
        try Silt.run("stat", "s", "t").expect(status: 2, error: "one operand too many: 't'")
        try Silt.run("dump", "--format", "xml", "s").expect(status: 2, error: "json or tsv")
        try Silt.run("dump", "--limit", "-1", "s").expect(status: 2, error: "takes a number")
        try Silt.shell("\"$SILT\" get s \"$(printf '\\377')\"").expect(status: 2, error: "argument 3 is not UTF-8")
    }

    @Test("Control characters of arguments reach no terminal by an error")
    func controlCharacters() throws {
        try Silt.run("get", "s", "k", "a\u{1b}[31m\u{7f}\u{9b}").expect(status: 2, error: #"'a\x1b[31m\x7f\x9b'"#)
    }

    @Test("A demonstration where something is, or where nothing can be, is a wrong command line")
    func wrongDemonstration() throws {
        let directory = try TemporaryDirectory()
        try Silt.run("demo", directory.path).expect(status: 2, error: "File exists")
        try Silt.run("demo", directory.file("none/demo")).expect(status: 2, error: "No such file or directory")
    }

    @Test("A demonstration whose reader goes away says nothing and leaves no directory behind")
    func unreadDemonstration() throws {
        let result = try Silt.shell(#""$SILT" demo --records 1000 | true; ls "$TMPDIR" | grep silt-demo-"#)
        #expect(result.text == "")
        #expect(result.errors == "")
    }

    @Test("Input that does not exist, or is a directory, is an error of the system")
    func missingInput() throws {
        let directory = try TemporaryDirectory()
        try Silt.run("load", directory.file("s"), directory.file("none")).expect(status: 5, error: "cannot open")
        try Silt.run("load", directory.file("s"), directory.path).expect(status: 5, error: "cannot read")
    }
}
