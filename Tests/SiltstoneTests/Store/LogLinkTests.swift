import Testing

@testable import Siltstone

/// What the link of a log proves of the logs before it, be it all that its log holds.
struct LogLinkTests {
    /// A store whose memtables are not flushed, and its logs, oldest first.
    private struct Logs {
        let fixture = StoreFixture()
        let store: KeyValueStore
        var count = 0
        /// Where the frames of each change end, and the names of their logs.
        var ends: [(log: String, end: Int)] = []

        init() throws {
            var configuration = StoreFixture.small()
            configuration.automaticCompaction = false
            store = try fixture.open(configuration)
        }

        var active: LogWriter {
            get throws { try #require(store.engine.writes.lock.withLock { store.engine.writes.state.active.log }) }
        }

        mutating func put(_ changes: Int) throws {
            for _ in 0..<changes {
                try store.put(key(count), [UInt8](repeating: 1, count: count % 20))
                count += 1
                ends.append((StoreFile.log(try active.number).name, try active.end))
            }
        }

        func beginNextLog() throws { try store.engine.beginNextLog() }

        /// How many changes are left where a log is cut.
        func count(ofLog name: String, cutTo length: Int) -> Int {
            ends.firstIndex { $0.log == name && $0.end > length } ?? count
        }
    }

    /// Cuts a log to each length down to its header, and expects what is behind `proven` to be torn and no more.
    private func expectCuts(
        of name: String, in logs: Logs, copiedTo copy: StoreFixture? = nil, provenTo proven: Int
    ) throws {
        let files = try (copy ?? logs.fixture).contents()
        let bytes = try #require(files[name])
        let last = try #require(logs.ends.last { $0.log == name }).end
        for length in stride(from: LogLink.end, through: last, by: 4) {
            var cut = files
            cut[name] = Array(bytes.prefix(length))
            let copy = try StoreFixture(contents: cut)
            do {
                let store = try copy.open()
                #expect(length >= proven, "cut to \(length) of \(last) bytes, \(proven) of them proven")
                let found = try store.allEntries().map(\.key)
                #expect(found == (0..<logs.count(ofLog: name, cutTo: length)).map { key($0) })
                try store.put("next".utf8, [1])
                #expect(try copy.copy().open().allEntries().count == found.count + 1)
            } catch let error as StoreError {
                #expect(length < proven, "cut to \(length) of \(last) bytes, \(proven) of them proven: \(error)")
                #expect(error.code == .corrupt && error.file == copy.file(name), "\(error)")
                #expect(try copy.contents() == cut)
            }
        }
    }

    @Test("the log before may have lost what was not synced when the link was written, and nothing else")
    func synced() throws {
        var logs = try Logs()
        try logs.put(6)
        try logs.store.sync()
        let log = try logs.active
        let proven = log.end
        try logs.put(4)
        try logs.beginNextLog()
        #expect(log.syncedEnd == proven && log.end > proven)
        // Frames behind the sync vouch as well, where they are left: so none of them is, in what is cut here.
        try expectCuts(of: StoreFile.log(log.number).name, in: logs, provenTo: proven)
    }

    @Test("where nothing was synced, nothing is proven")
    func unsynced() throws {
        var logs = try Logs()
        try logs.put(8)
        let name = StoreFile.log(try logs.active.number).name
        try logs.beginNextLog()
        try expectCuts(of: name, in: logs, provenTo: FileHeader.size)
    }

    @Test("the link of an earlier release, which does not tell, proves nothing")
    func earlierRelease() throws {
        var logs = try Logs()
        try logs.put(6)
        try logs.store.sync()
        let log = try logs.active
        try logs.beginNextLog()
        var link = log.link(lastSequence: 6)
        #expect(link.synced == link.end)
        link.synced = 0
        let copy = try replacingLink(of: try logs.active, by: link, in: logs.fixture)
        let name = StoreFile.log(log.number).name
        #expect(try copy.copy().open().allEntries().count == 6)
        try copy.write(Array(try copy.read(name).prefix(log.end - 8)), to: name)
        #expect(try copy.open().allEntries().count == 5)
    }

    @Test("a link that says that the log before was synced proves as much of the logs before that one")
    func severalLogs() throws {
        var logs = try Logs()
        try logs.put(4)
        let first = try logs.active
        try logs.beginNextLog()
        try logs.put(3)
        let second = try logs.active
        // No frame of it vouches for anything but its header: the sync came behind them all.
        try logs.store.sync()
        try logs.beginNextLog()
        try expectCuts(of: StoreFile.log(first.number).name, in: logs, provenTo: first.end)
        try expectCuts(of: StoreFile.log(second.number).name, in: logs, provenTo: second.end)
    }

    @Test("a log that was closed in good order proves that those before it were whole, be it as good as empty")
    func closed() throws {
        var logs = try Logs()
        try logs.put(5)
        try logs.store.sync()
        let log = try logs.active
        try logs.beginNextLog()
        let last = try logs.active
        try logs.store.close()
        try expectCuts(of: StoreFile.log(log.number).name, in: logs, provenTo: log.end)
        // In a store that an earlier release has closed, the manifest alone tells.
        var link = log.link(lastSequence: 5)
        link.synced = 0
        let copy = try replacingLink(of: last, by: link, in: logs.fixture)
        try expectCuts(of: StoreFile.log(log.number).name, in: logs, copiedTo: copy, provenTo: log.end)
    }

    @Test("changes that are missing between two logs, or between the segments and the first log, are damage")
    func gaps() throws {
        var logs = try Logs()
        try logs.put(2)
        try logs.store.flush()
        try logs.put(3)
        let log = try logs.active
        try logs.beginNextLog()
        #expect(try logs.fixture.copy().open().allEntries().count == 5)
        for last: SequenceNumber in [4, 6] {
            let copy = try replacingLink(
                of: try logs.active, by: log.link(lastSequence: last), in: logs.fixture)
            try expectRefusal(of: copy, naming: StoreFile.log(try logs.active.number).name)
        }
        var first = LogLink()
        for last: SequenceNumber in [1, 3] {
            first.lastSequence = last
            let copy = try replacingLink(of: log, by: first, in: logs.fixture)
            try expectRefusal(of: copy, naming: StoreFile.log(log.number).name)
        }
    }

    @Test("a log that begins with a batch is refused for what is wrong with it")
    func noLink() throws {
        var logs = try Logs()
        let copy = try logs.fixture.copy()
        let log = try logs.active
        let writer = try emptied(log, in: copy)
        try writer.append(kind: .value, key: .emptyBytes, value: .emptyBytes, sequence: 1)
        try writer.seal()
        do {
            _ = try copy.open()
            Issue.record("opened")
        } catch {
            #expect(error.code == .corrupt && error.file == copy.file(StoreFile.log(log.number).name))
            #expect(error.message.contains("no link frame") && !error.message.contains("was expected"))
        }
        try logs.put(1)
    }

    @Test("a whole frame behind damage proves that the logs before its own were synced")
    func frameBehindDamage() throws {
        var logs = try Logs()
        try logs.put(4)
        let first = try logs.active
        try logs.beginNextLog()
        // The link alone is synced with it, so the frames behind it vouch for no more of their own log.
        try logs.store.sync()
        let second = StoreFile.log(try logs.active.number).name
        try logs.put(2)
        var files = try logs.fixture.contents()
        files[second]?[LogLink.end + 8] ^= 1
        let found = try StoreFixture(contents: files).open().allEntries().map(\.key)
        #expect(found == (0..<4).map { key($0) })
        let name = StoreFile.log(first.number).name
        files[name] = Array(try #require(files[name]).prefix(first.end - 8))
        let cut = try StoreFixture(contents: files)
        let error = #expect(throws: StoreError.self) { try cut.open() }
        #expect(error?.code == .corrupt && error?.file == cut.file(name), "\(String(describing: error))")
        #expect(error?.message.contains("stable storage") == true)
    }

    @Test("a batch whose changes do not follow those before is damage", arguments: [1, 3] as [SequenceNumber])
    func gapWithinLog(second: SequenceNumber) throws {
        let logs = try Logs()
        let copy = try logs.fixture.copy()
        let log = try logs.active
        let writer = try emptied(log, in: copy)
        try writer.append(link: LogLink())
        for sequence in [1, second] {
            try writer.append(kind: .value, key: .emptyBytes, value: .emptyBytes, sequence: sequence)
        }
        try writer.seal()
        try expectRefusal(of: copy, naming: StoreFile.log(log.number).name)
        try logs.store.close()
    }

    // MARK: Making them

    /// A log of a directory with its header alone, to be written anew.
    private func emptied(_ log: LogWriter, in copy: StoreFixture) throws -> LogWriter {
        let path = copy.file(StoreFile.log(log.number).name)
        let reader = try FrameReader(copy.fileSystem, path: path, kind: .log, store: nil, number: log.number)
        return try LogWriter.resume(
            copy.fileSystem, path: path, header: reader.header, end: FileHeader.size, syncedEnd: FileHeader.size,
            previous: reader.fileChecksum)
    }

    /// A copy in which a log has another link, and whatever followed it.
    private func replacingLink(of log: LogWriter, by link: LogLink, in fixture: StoreFixture) throws -> StoreFixture {
        let copy = try fixture.copy()
        let before = try FrameReader(
            fixture.fileSystem, path: log.path, kind: .log, store: nil, number: log.number)
        let writer = try emptied(log, in: copy)
        try writer.append(link: link)
        var reader = before
        while let frame = try reader.next() {
            switch frame.kind {
            case .batch:
                try writer.append(batch: frame.payload, firstSequence: frame.firstSequence, count: frame.count)
            case .close: try writer.append(frame: .close)
            case .link, .edit: continue
            }
        }
        try writer.seal()
        return copy
    }

    private func expectRefusal(of copy: StoreFixture, naming name: String) throws {
        let before = try copy.contents()
        do {
            _ = try copy.open()
            Issue.record("opened")
        } catch {
            #expect(error.code == .corrupt && error.file == copy.file(name), "\(error)")
            #expect(error.message.contains("sequence number"), "\(error)")
        }
        #expect(try copy.contents() == before)
    }
}
