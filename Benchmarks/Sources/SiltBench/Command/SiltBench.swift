import Foundation

/// `silt-bench`: compares Siltstone with other embedded engines.
@main
enum SiltBench {
    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.count == 2, arguments[0] == ChildProcess.argument { exit(Worker.run(arguments[1])) }
        do {
            var parser = OptionParser(arguments)
            switch try parser.parse() {
            case .help: print(Usage.text)
            case .run(let options):
                Interruption.watch()
                exit(try Coordinator(options).run() ? 0 : 1)
            }
        } catch {
            FileHandle.standardError.write(Data("silt-bench: \(error)\n".utf8))
            exit(2)
        }
    }
}
