/// Collects output in a fixed buffer, written out whenever it is full, and at the end by ``flush()``.
struct OutputBuffer: ~Copyable {
    /// Bytes written out at a time: large enough to make the system calls free of notice.
    static let capacity = 256 << 10

    private var buffer: ByteBuffer
    private let descriptor: Int32?
    private let name: String
    /// Bytes appended since the start.
    private(set) var total = 0

    /// A buffer before a descriptor.
    /// - Parameter name: what error messages call it.
    init(_ descriptor: Int32, name: String) {
        buffer = ByteBuffer(capacity: Self.capacity)
        self.descriptor = descriptor
        self.name = name
    }

    /// A buffer that keeps everything; see ``contents``.
    init() {
        buffer = ByteBuffer()
        descriptor = nil
        name = "memory"
    }

    /// A buffer before standard output.
    static func standard() -> OutputBuffer { OutputBuffer(System.standardOutput, name: "standard output") }

    /// What was appended and not yet written out.
    var contents: [UInt8] { Array(buffer.bytes) }

    /// Makes room for `count` bytes: by writing out, or, where everything is kept, by growing.
    @inline(__always)
    private mutating func makeRoom(_ count: Int) throws(SystemError) {
        if count > Self.capacity &- buffer.count, descriptor != nil { try flush() }
    }

    @inline(__always)
    mutating func append(_ bytes: Bytes) throws(SystemError) {
        try makeRoom(bytes.count)
        total &+= bytes.count
        if let descriptor, bytes.count >= Self.capacity {
            // Larger than the buffer, which is empty now: copying it in parts would gain nothing.
            try System.write(descriptor, bytes, name: name)
        } else {
            buffer.append(bytes)
        }
    }

    @inline(__always)
    mutating func append(_ text: StaticString) throws(SystemError) {
        try append(Bytes(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) throws(SystemError) {
        try makeRoom(1)
        total &+= 1
        buffer.append(byte)
    }

    mutating func append(text: String) throws(SystemError) {
        for byte in text.utf8 { try append(byte) }
    }

    /// Appends `count` bytes, at most ``capacity``, that `body` stores.
    mutating func fill(_ count: Int, _ body: (UnsafeMutableRawPointer) -> Void) throws(SystemError) {
        try makeRoom(count)
        total &+= count
        if let base = buffer.room(max(count, 1)).baseAddress { body(base) }
        buffer.extend(count)
    }

    /// Writes out what is in the buffer.
    mutating func flush() throws(SystemError) {
        guard let descriptor, buffer.count > 0 else { return }
        try System.write(descriptor, buffer.bytes, name: name)
        buffer.removeAll()
    }
}
