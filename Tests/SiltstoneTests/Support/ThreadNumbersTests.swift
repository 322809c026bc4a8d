import Dispatch
import Foundation
import Testing

@testable import Siltstone

struct ThreadNumbersTests {
    @Test("the number of a thread that has ended goes to another: more threads than there are numbers get one in turn")
    func reuse() throws {
        var numbered = 0
        let end = Date(timeIntervalSinceNow: 60)
        // Tests beside this one may hold all numbers for a moment.
        while numbered <= ThreadNumbers.limit, Date() < end {
            let found = Locked<Int?>(nil)
            let group = DispatchGroup()
            Thread.detachNewThread(in: group) { found.withLock { $0 = ThreadNumbers.shared.current } }
            group.wait()
            if found.withLock({ $0 }) != nil { numbered += 1 }
        }
        #expect(numbered > ThreadNumbers.limit)
    }
}
