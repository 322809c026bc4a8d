import CZlib

/// Raw deflate streams (RFC 1951), compressed and inflated in one call by zlib.
enum Deflate {
    /// Largest expansion of a stream: two bits, one for the length and one for the distance, can produce 258 bytes, so
    /// one byte of the stream can produce 1,032.
    static let greatestRatio = 1032

    /// The largest window, and no header around the stream (zlib's meaning of a negative value).
    private static let rawWindowBits: Int32 = -15

    /// A compressor that is reused from block to block.
    @safe
    struct Compressor: ~Copyable {
        /// zlib keeps the address of its stream, so the stream must not move.
        private let stream: UnsafeMutablePointer<z_stream>

        /// - Parameter level: 1 to 9.
        /// - Throws: ``StoreError/Code/invalidArgument`` for another level, ``StoreError/Code/inputOutput`` if zlib has
        ///   no memory.
        init(level: Int) throws(StoreError) {
            unsafe stream = .allocate(capacity: 1)
            unsafe stream.initialize(to: z_stream())
            // 8 is zlib's default memory level.
            let code = unsafe deflateInit2_(
                stream, Int32(level), Z_DEFLATED, rawWindowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size))
            if code == Z_STREAM_ERROR { throw StoreError(.invalidArgument, "zlib has no level \(level); use 1 to 9") }
            guard code == Z_OK else { throw Deflate.failure(to: "compress", code) }
        }

        deinit {
            unsafe deflateEnd(stream)
            unsafe stream.deallocate()
        }

        /// Compresses `source` into `target`.
        /// - Returns: bytes of the stream; nil if it does not fit into `target`, or if zlib cannot compress it in one
        ///   call.
        mutating func compress(_ source: Bytes, into target: MutableBytes) -> Int? {
            guard unsafe deflateReset(stream) == Z_OK, unsafe stream.pointee.set(source, target),
                unsafe deflate(stream, Z_FINISH) == Z_STREAM_END
            else { return nil }
            return unsafe target.count - Int(stream.pointee.avail_out)
        }
    }

    /// Inflates `source` into `target`.
    /// - Returns: true if the stream is well formed, ends exactly at the end of `source`, and fills `target`.
    /// - Throws: ``StoreError/Code/inputOutput`` if zlib has no memory. That says nothing about the stream.
    static func inflate(_ source: Bytes, into target: MutableBytes) throws(StoreError) -> Bool {
        let (code, isIntact) = unsafe withUnsafeTemporaryAllocation(of: z_stream.self, capacity: 1) { memory in
            guard let stream = memory.baseAddress else { return (Z_MEM_ERROR, false) }
            unsafe stream.initialize(to: z_stream())
            let code = unsafe inflateInit2_(
                stream, rawWindowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
            guard code == Z_OK else { return (code, false) }
            defer { unsafe inflateEnd(stream) }
            let isIntact =
                unsafe stream.pointee.set(source, target) && CZlib.inflate(stream, Z_FINISH) == Z_STREAM_END
                && stream.pointee.avail_in == 0 && stream.pointee.avail_out == 0
            return (code, isIntact)
        }
        guard code == Z_OK else { throw failure(to: "inflate", code) }
        return isIntact
    }

    /// The error for a stream that zlib could not begin.
    /// - Parameter code: zlib's; `Z_MEM_ERROR` in practice.
    static func failure(to work: String, _ code: Int32) -> StoreError {
        let reason = unsafe String(cString: zError(code))
        let advice = code == Z_MEM_ERROR ? "; free memory or raise the limit of the process" : ""
        return StoreError(.inputOutput, "zlib cannot \(work): \(reason)\(advice)")
    }
}

extension z_stream {
    /// Sets the bytes that zlib reads, and those that it fills.
    /// - Returns: false if they are too many for one call of zlib.
    fileprivate mutating func set(_ source: Bytes, _ target: MutableBytes) -> Bool {
        guard let input = UInt32(exactly: source.count), let output = UInt32(exactly: target.count) else {
            return false
        }
        unsafe next_in = unsafe UnsafeMutablePointer(mutating: source.start.assumingMemoryBound(to: UInt8.self))
        unsafe next_out = unsafe target.start.assumingMemoryBound(to: UInt8.self)
        unsafe (avail_in, avail_out) = (input, output)
        return true
    }
}
