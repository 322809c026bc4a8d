import Dispatch
import SiltstoneTesting
import Testing

@testable import Siltstone

/// One run of a phase with faults: the store, what was done to it, and what is to be expected of it.
final class FaultRun {
    let place: String
    let kind: FaultKind
    let configuration: Configuration
    let image: FaultImage
    /// The files themselves, which nothing goes wrong with.
    let base: StoreFixture
    let disk: FaultInjectingFileSystem
    /// The same files, by way of the faults.
    let fixture: StoreFixture
    var store: KeyValueStore? { didSet { faultsBefore = disk.faults.count } }
    /// Calls that had failed when the store was opened.
    private(set) var faultsBefore = 0
    var ledger: FaultLedger
    private(set) var errors: [StoreError] = []
    /// Whether calls fail for good: what fails once may be made good before anyone has to be told.
    var faultsLast = false
    /// The numbers of the calls in which a full disk did not take the note of a clean close.
    private(set) var missingCloseNotes: Set<Int> = []
    /// The error of background work that a store had which is closed now.
    private(set) var background: String?
    /// Phases put aside here what their own check needs.
    var reports: [RepairReport] = []

    /// Makes the file system below the faults.
    private static func makeFileSystem() -> any FileSystem { InMemoryFileSystem() }

    init(_ place: String, _ kind: FaultKind, _ image: FaultImage, _ configuration: Configuration) throws {
        self.place = place
        self.kind = kind
        self.configuration = configuration
        self.image = image
        base = try StoreFixture(
            contents: image.files, hasDirectory: image.hasDirectory, on: Self.makeFileSystem())
        disk = FaultInjectingFileSystem(base.fileSystem, keepsLog: false)
        fixture = StoreFixture(disk)
        ledger = FaultLedger(image.model)
    }

    var comment: Comment {
        Comment(rawValue: "\(place); failed: \(disk.faults.prefix(4).map(\.call)); \(errors.prefix(3))")
    }

    // MARK: Trying

    /// Runs `body`, and notes what it throws.
    @discardableResult
    func attempt<R>(_ body: () throws(StoreError) -> R) -> Result<R, StoreError> {
        let result = Result { () throws(StoreError) in try body() }
        if case .failure(let error) = result { errors.append(error) }
        return result
    }

    /// Makes a change, and notes what may have become of it.
    @discardableResult
    func change(_ model: (inout StoreModel) -> Void, _ body: (KeyValueStore) throws(StoreError) -> Void) -> Bool {
        guard let store else { return false }
        switch attempt({ () throws(StoreError) in try body(store) }) {
        case .success:
            ledger.acknowledged(model)
            return true
        case .failure(let error):
            // The one code of which nothing is promised; after any other the change must not be there.
            if error.code == .inputOutput { ledger.uncertain(model) }
            return false
        }
    }

    @discardableResult
    func put(_ number: Int, _ length: Int, _ durability: Durability? = nil) -> Bool {
        let value = Self.value(number, length)
        return change({ $0[key(number)] = value }) { store throws(StoreError) in
            try store.put(key(number), value, durability: durability)
        }
    }

    @discardableResult
    func delete(_ number: Int) -> Bool {
        change({ $0[key(number)] = nil }) { store throws(StoreError) in try store.delete(key(number)) }
    }

    /// Makes a conditional change, whose answer must fit what is there.
    func changeIf(
        _ number: Int, _ condition: ([UInt8]?) -> Bool, to value: [UInt8]?,
        _ body: (KeyValueStore) throws(StoreError) -> Bool
    ) {
        guard let store else { return }
        switch attempt({ () throws(StoreError) in try body(store) }) {
        case .success(let isDone):
            #expect(ledger.narrow { condition($0[key(number)]) == isDone }, comment)
            if isDone { ledger.acknowledged { $0[key(number)] = value } }
        case .failure(let error):
            guard error.code == .inputOutput else { return }
            ledger.uncertain { model in if condition(model[key(number)]) { model[key(number)] = value } }
        }
    }

    /// Incompressible enough, and different for each key and length.
    static func value(_ number: Int, _ length: Int) -> [UInt8] {
        var generator = SeededGenerator(UInt64(number &* 31 &+ length))
        return generator.bytes(min(length, 64))
            + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: max(0, length - 64))
    }

    // MARK: Opening and closing

    func open(_ configuration: Configuration? = nil) {
        if case .success(let store) = attempt({ () throws(StoreError) in
            try fixture.open(configuration ?? self.configuration)
        }) {
            self.store = store
        }
    }

    func close() {
        guard let store else { return }
        let before = disk.faults.count
        attempt { () throws(StoreError) in try store.close() }
        for (call, fault) in disk.faults.dropFirst(before) where call.path.hasSuffix(".manifest") {
            if call.operation == .write, fault == .noSpace { missingCloseNotes.insert(call.number) }
        }
        background = store.statistics.backgroundError
        self.store = nil
    }

    /// Waits until no background work is under way.
    func settle() { store?.settle() }
}

extension KeyValueStore {
    /// Waits until no background work is under way.
    func settle() {
        for queue in engine.background.queues { queue.sync {} }
    }
}
