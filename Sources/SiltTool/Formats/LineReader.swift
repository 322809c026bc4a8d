/// Reads a descriptor line by line, in memory bounded by the longest line.
struct LineReader: ~Copyable {
    /// The bytes of one read.
    private static let readBytes = 1 << 20

    private let descriptor: Int32
    private let name: String
    /// A descriptor that receives a copy of the input.
    private let copy: Int32?
    /// The most bytes to read; nil for all.
    private let limit: Int?
    private var buffer = ByteBuffer(capacity: 2 * readBytes)
    /// The offset of the next line in `buffer`.
    private var start = 0
    private var isAtEnd = false

    /// The number of the line that ``next()`` returned last, from 1.
    private(set) var lineNumber = 0
    /// The number of bytes read from the descriptor.
    private(set) var bytesRead = 0

    /// Creates a reader.
    /// - Parameters:
    ///   - name: the name of the input in error messages.
    ///   - copy: a descriptor that receives a copy of the input.
    ///   - limit: the most bytes to read; nil for all.
    init(_ descriptor: Int32, name: String, copyingTo copy: Int32? = nil, limit: Int? = nil) {
        self.descriptor = descriptor
        self.name = name
        self.copy = copy
        self.limit = limit
    }

    /// The next line without its line feed, valid until the next call; nil at the end. The last line needs no line
    /// feed.
    mutating func next() throws(SystemError) -> Bytes? {
        var searched = 0  // bytes of the line without a line feed
        while true {
            let rest = buffer.bytes.part(start...)
            if let found = System.firstIndex(of: UInt8(ascii: "\n"), in: rest.part(searched...)) {
                lineNumber += 1
                start += searched + found + 1
                return rest.part(..<(searched + found))
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

    /// Reads more input behind the unused bytes.
    private mutating func refill() throws(SystemError) {
        buffer.removeFirst(start)
        start = 0
        let rest = limit.map { $0 - bytesRead }
        if rest == 0 {
            isAtEnd = true
            return
        }
        let read = try buffer.read(descriptor, askingFor: Self.readBytes, most: rest, name: name)
        if read.isEmpty {
            isAtEnd = true
            return
        }
        if let copy { try System.write(copy, read, name: "a temporary file") }
        bytesRead += read.count
    }
}
