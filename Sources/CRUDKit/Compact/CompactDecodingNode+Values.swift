import Foundation

/// Functions that read one value at an offset and advance it. `step` is the value's place, for errors.
extension CompactDecodingNode {
    func isNull(at offset: Int) -> Bool { input.bytes[offset] == CompactTag.null }

    @inline(__always)
    func boolean(at offset: inout Int, _ step: @autoclosure () -> CompactStep) throws -> Bool {
        let tag = input.bytes[offset]
        guard tag == CompactTag.true || tag == CompactTag.false else { throw mismatch(Bool.self, at: offset, step()) }
        offset &+= 1
        return tag == CompactTag.true
    }

    @inline(__always)
    func string(at offset: inout Int, _ step: @autoclosure () -> CompactStep) throws -> String {
        guard isString(at: offset) else { throw mismatch(String.self, at: offset, step()) }
        guard let string = input.string(at: &offset) else {
            throw corrupted("A string is not UTF-8.", step())
        }
        return string
    }

    @inline(__always)
    private func isString(at offset: Int) -> Bool {
        let tag = input.bytes[offset]
        return tag >= CompactTag.firstShortString && tag <= CompactTag.lastShortString || tag == CompactTag.string
    }

    @inline(__always)
    func integer<T: FixedWidthInteger>(
        _ type: T.Type, at offset: inout Int, _ step: @autoclosure () -> CompactStep
    ) throws -> T {
        let tag = input.bytes[offset]
        if tag <= CompactTag.lastSmallInteger {
            offset &+= 1
            return T(truncatingIfNeeded: tag)
        }
        return try largeInteger(type, at: &offset, step)
    }

    private func largeInteger<T: FixedWidthInteger>(
        _ type: T.Type, at offset: inout Int, _ step: () -> CompactStep
    ) throws -> T {
        var next = offset + 1
        let value: T? =
            switch input.bytes[offset] {
            case CompactTag.unsigned: T(exactly: input.varint(at: &next))
            case CompactTag.negative: T(exactly: ~Int128(input.varint(at: &next)))
            case CompactTag.unsigned128: T(exactly: input.integer(UInt128.self, at: &next))
            case CompactTag.signed128: T(exactly: input.integer(Int128.self, at: &next))
            // A field may have been a floating-point number in an earlier version of its type.
            case CompactTag.double: T(exactly: Double(bitPattern: input.integer(UInt64.self, at: &next)))
            case CompactTag.float: T(exactly: Float(bitPattern: input.integer(UInt32.self, at: &next)))
            default: throw mismatch(type, at: offset, step())
            }
        guard let value else { throw corrupted("A number does not fit \(type).", step()) }
        offset = next
        return value
    }

    @inline(__always)
    func double(at offset: inout Int, _ step: @autoclosure () -> CompactStep) throws -> Double {
        guard input.bytes[offset] == CompactTag.double else { return try unusualDouble(at: &offset, step) }
        offset &+= 1
        return Double(bitPattern: input.integer(UInt64.self, at: &offset))
    }

    /// Reads a number that was encoded as another type than `Double`.
    private func unusualDouble(at offset: inout Int, _ step: () -> CompactStep) throws -> Double {
        if input.bytes[offset] == CompactTag.float {
            offset += 1
            return Double(Float(bitPattern: input.integer(UInt32.self, at: &offset)))
        }
        guard isInteger(at: offset) else { throw mismatch(Double.self, at: offset, step()) }
        guard let value = Double(exactly: try integer(Int128.self, at: &offset, step())) else {
            throw corrupted("A number does not fit Double.", step())
        }
        return value
    }

    private func isInteger(at offset: Int) -> Bool {
        switch input.bytes[offset] {
        case ...CompactTag.lastSmallInteger, CompactTag.unsigned, CompactTag.negative, CompactTag.signed128,
            CompactTag.unsigned128:
            true
        default: false
        }
    }

    func float(at offset: inout Int, _ step: @autoclosure () -> CompactStep) throws -> Float {
        if input.bytes[offset] == CompactTag.float {
            offset += 1
            return Float(bitPattern: input.integer(UInt32.self, at: &offset))
        }
        // Rounds like Foundation's decoders, but not to infinity.
        let double = try double(at: &offset, step())
        let value = Float(double)
        guard value.isFinite || !double.isFinite else { throw corrupted("A number does not fit Float.", step()) }
        return value
    }

    /// Reads a value of any type.
    ///
    /// In generic code every type arrives here, even those with a form of their own in the encoding; see the encoder.
    /// They may also be encoded through their `Codable` conformance, so the tag decides.
    func value<T: Decodable>(_ type: T.Type, at offset: inout Int, _ step: CompactStep) throws -> T {
        if T.self == String.self { return unsafe unsafeBitCast(try string(at: &offset, step), to: T.self) }
        if T.self == Int.self { return unsafe unsafeBitCast(try integer(Int.self, at: &offset, step), to: T.self) }
        if T.self == Double.self { return unsafe unsafeBitCast(try double(at: &offset, step), to: T.self) }
        if T.self == Bool.self { return unsafe unsafeBitCast(try boolean(at: &offset, step), to: T.self) }
        if T.self == Date.self {
            let date = Date(timeIntervalSinceReferenceDate: try double(at: &offset, step))
            return unsafe unsafeBitCast(date, to: T.self)
        }
        if T.self == [UInt8].self, input.bytes[offset] == CompactTag.bytes {
            return unsafe unsafeBitCast(Array(input.bytes[input.counted(at: &offset)]), to: T.self)
        }
        if T.self == Data.self, input.bytes[offset] == CompactTag.bytes {
            return unsafe unsafeBitCast(Data(input.bytes[input.counted(at: &offset)]), to: T.self)
        }
        if T.self == UUID.self, input.bytes[offset] == CompactTag.uuid {
            return unsafe unsafeBitCast(uuid(at: &offset), to: T.self)
        }
        if T.self == URL.self, isString(at: offset) {
            return unsafe unsafeBitCast(try url(at: &offset, step), to: T.self)
        }
        if T.self == Decimal.self, isString(at: offset) {
            return unsafe unsafeBitCast(try decimal(at: &offset, step), to: T.self)
        }
        let node = child(at: offset, step)
        let value = try T(from: node)
        offset = node.end
        return value
    }

    private func url(at offset: inout Int, _ step: CompactStep) throws -> URL {
        guard let url = URL(string: try string(at: &offset, step)) else {
            throw corrupted("A string is not a URL.", step)
        }
        return url
    }

    private func decimal(at offset: inout Int, _ step: CompactStep) throws -> Decimal {
        guard let decimal = Decimal(string: try string(at: &offset, step)) else {
            throw corrupted("A string is not a decimal number.", step)
        }
        return decimal
    }

    private func uuid(at offset: inout Int) -> UUID {
        offset += 1
        let b = Array(input.bytes[offset..<offset + 16])
        offset += 16
        return UUID(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }
}
