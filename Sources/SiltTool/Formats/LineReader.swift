/// Reads a descriptor line by line, in memory bounded by the longest line.
struct LineReader: ~Copyable {
    /// Bytes asked of the system at a time.
    private static let readBytes = 1 << 20

    private let descriptor: Int32
    private let name: String
    /// Takes a copy of all that is read.
    private let copy: Int32?
    private var buffer = ByteBuffer(capacity: 2 * readBytes)
    /// Where the next line starts in `buffer`.
    private var start = 0
    private var isAtEnd = false

    /// The number of the line that ``next()`` returned last, from 1.
    private(set) var lineNumber = 0
    /// Bytes read from the descriptor.
    private(set) var bytesRead = 0

    /// Creates a reader.
    /// - Parameters:
    ///   - name: what error messages call the input.
    ///   - copy: a descriptor to write all input to, as it is read.
    init(_ descriptor: Int32, name: String, copyingTo copy: Int32? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.copy = copy
    }

    /// The next line without its line feed, valid until the next call; nil at the end. A last line need not end in a
    /// line feed.
    mutating func next() throws(SystemError) -> Bytes? {
        var searched = 0  // bytes of the line that hold no line feed
        while true {
            let rest = Bytes(rebasing: buffer.bytes[start...])
            if let found = System.firstIndex(of: UInt8(ascii: "\n"), in: Bytes(rebasing: rest[searched...])) {
                lineNumber += 1
                start += searched + found + 1
                return Bytes(rebasing: rest[..<(searched + found)])
            }
            if isAtEnd {
                if rest.isEmpty { return nil }
                lineNumber += 1
                start = buffer.count
                return rest
            }
            searched = rest.count
            try refill()
        }
    }

    /// Reads more behind what is not used up yet.
    private mutating func refill() throws(SystemError) {
        buffer.removeFirst(start)
        start = 0
        let room = buffer.room(Self.readBytes)
        let count = try System.read(descriptor, room, name: name)
        if count == 0 {
            isAtEnd = true
            return
        }
        if let copy {
            try System.write(copy, Bytes(start: room.baseAddress, count: count), name: "a temporary file")
        }
        buffer.extend(count)
        bytesRead += count
    }
}
