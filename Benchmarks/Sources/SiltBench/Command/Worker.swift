import Foundation

/// The work of a worker process.
enum Worker {
    /// Does what an order says, telling results on standard output.
    /// - Parameter order: a ``WorkerOrder`` in JSON.
    /// - Returns: the exit status.
    static func run(_ order: String) -> Int32 {
        do {
            let order = try JSONDecoder().decode(WorkerOrder.self, from: Data(order.utf8))
            if let group = order.memoryGroup { try MemoryGroup.enter(group) }
            switch order.section.kind {
            case .engines: try order.engine.accept(Visitor(order: order))
            case .repositories: try RepositoryBench(order).run(say)
            case .tables: try TableBench(order).run(say)
            case .servers: try ServerBench(order).run(say)
            case .adapters: try AdapterBench(order).run(say)
            case .transformers: try TransformerBench(order).run { try say(.measurement($0)) }
            }
            try say(.verified)
            return 0
        } catch {
            do { try say(.failure("\(error)")) } catch { return 3 }
            return 1
        }
    }

    private static func say(_ message: WorkerMessage) throws {
        try FileHandle.standardOutput.write(contentsOf: message.line())
    }

    private struct Visitor: EngineVisitor {
        let order: WorkerOrder

        func visit<E: Engine>(_ engine: E.Type) throws {
            let bench = Bench<E>(order, say: Worker.say)
            switch order.task {
            case .measure:
                var settings = EngineSettings()
                settings.valueBytes = order.section.valueBytes
                settings.hasWriteMap = order.section.hasWriteMap
                settings.hasTransactions = order.section.workloads.contains { $0.workload.isTransfer }
                try Worker.say(
                    .engine(
                        EngineDescription(
                            engine: order.engine, version: E.version, options: E.describe(settings),
                            build: E.build.description)))
                try bench.run()
            case .fillAndDie:
                try bench.fillAndDie(Worker.say)
            }
        }
    }
}
