import Siltstone
import SiltstoneTesting
import TableKit
import Testing

@testable import SiltstoneTables

/// Random changes beside a model of arrays.
struct TableModelTests {
    @Test(
        "statements throw where the model says so, and leave rows and indexes as it says",
        arguments: 0..<12 as Range<UInt64>)
    func model(seed: UInt64) throws {
        let (store, engine) = try makeEngine()
        try engine.change { try TableModel.create($0) }
        var model = TableModel(seed: seed)
        var random = SplitMix64(seed: seed &+ 77)
        for round in 0..<40 {
            let before = model
            let session = try engine.begin(random.index(2) == 0 ? .serial : .concurrent(retries: 0))
            for _ in 0...random.index(8) {
                let difference = try model.step(session)
                #expect(difference == nil, "round \(round): \(difference ?? "")")
            }
            if random.index(4) == 0 {
                session.rollback()
                model = before
            } else {
                try session.commit()
            }
            if random.index(8) == 0 { try store.flush() }
            let reading = try engine.beginRead()
            let parents = try reading.all(TableModel.parents), children = try reading.all(TableModel.children)
            reading.rollback()
            try #require(parents.elementsEqual(model.expectedParents, by: same), "round \(round)")
            try #require(children.elementsEqual(model.expectedChildren, by: same), "round \(round)")
        }
        #expect(try engine.verify(progress: nil) == [])
        try store.close()
    }
}
