/// Collects output in a fixed buffer, which is written when it is full and by ``flush()``.
struct OutputBuffer: ~Copyable {
    /// The bytes of one write. Large enough to make the cost of the system calls negligible.
    static let capacity = 256 << 10

    private var buffer: ByteBuffer
    private let descriptor: Int32?
    private let name: String
    /// The number of bytes appended so far.
    private(set) var total = 0

    /// A buffer for a descriptor.
    /// - Parameter name: the name of the output in error messages.
    init(_ descriptor: Int32, name: String) {
        buffer = ByteBuffer(capacity: Self.capacity)
        self.descriptor = descriptor
        self.name = name
    }

    /// A buffer in memory; see ``contents``.
    init() {
        buffer = ByteBuffer()
        descriptor = nil
        name = "memory"
    }

    /// A buffer for standard output.
    static func standard() -> OutputBuffer { OutputBuffer(System.standardOutput, name: "standard output") }

    /// The bytes appended and not yet written.
    var contents: [UInt8] { Array(buffer.bytes) }

    /// Makes room for `count` bytes by writing the buffer. A buffer in memory grows later.
    @inline(__always)
    private mutating func makeRoom(_ count: Int) throws(SystemError) {
        if count > Self.capacity &- buffer.count, descriptor != nil { try flush() }
    }

    @inline(__always)
    mutating func append(_ bytes: Bytes) throws(SystemError) {
        try makeRoom(bytes.count)
        total &+= bytes.count
        if let descriptor, bytes.count >= Self.capacity {
            // Larger than the buffer, which is empty now: it is not copied.
            try System.write(descriptor, bytes, name: name)
        } else {
            buffer.append(bytes)
        }
    }

    @inline(__always)
    mutating func append(_ text: StaticString) throws(SystemError) {
        try append(Bytes(text))
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

    /// Appends the base64 of bytes. It is at most ``capacity`` long.
    mutating func append(base64 bytes: Bytes) throws(SystemError) {
        let length = Base64.encodedLength(bytes.count)
        try makeRoom(length)
        total &+= length
        if let base = unsafe buffer.room(max(length, 1)).baseAddress { unsafe Base64.encode(bytes, into: base) }
        buffer.extend(length)
    }

    /// Writes the buffer.
    mutating func flush() throws(SystemError) {
        guard let descriptor, buffer.count > 0 else { return }
        try System.write(descriptor, buffer.bytes, name: name)
        buffer.removeAll()
    }

    /// Writes the buffer before the caller throws an error: what came before damage is printed. After an error of the
    /// output itself, nothing is written, because a part of the buffer may have been.
    mutating func flush(before error: any Error) {
        if error is SystemError { return }
        // The caller's error is the one to report.
        do { try flush() } catch {}
    }
}
