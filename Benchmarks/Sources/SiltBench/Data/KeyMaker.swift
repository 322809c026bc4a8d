/// Makes keys in memory of its own, without a division for each digit.
struct KeyMaker: ~Copyable {
    private let memory: UnsafeMutableRawPointer
    private let space: KeySpace

    init(_ space: KeySpace) {
        self.space = space
        memory = .allocate(byteCount: 2 * Self.blockBytes, alignment: 8)
        if space == .hashed { memory.copyMemory(from: "user", byteCount: 4) }
        if space == .long || space == .paths {
            let text = Array("/projects/siltstone/documents/drafts".utf8)
            for i in 0..<2 * Self.blockBytes {
                memory.storeBytes(of: text[i % Self.blockBytes % text.count], toByteOffset: i, as: UInt8.self)
            }
        }
    }

    /// Room for the longest key; a second such block keeps the text that keys are filled with.
    static let blockBytes = 256

    deinit { memory.deallocate() }

    /// The key of `index`, good until the next call.
    @inline(__always)
    func key(_ index: Int) -> Bytes {
        switch space {
        case .decimal:
            let number = UInt64(truncatingIfNeeded: index)
            store(number / 100_000_000, at: 0)
            store(number % 100_000_000, at: 8)
            return Bytes(start: memory, count: 16)
        case .hashed:
            let hash = mixed(UInt64(truncatingIfNeeded: index) &+ 1)
            let (high, low) = hash.quotientAndRemainder(dividingBy: 10_000_000_000_000_000)
            storeFour(high, at: 4)
            store(low / 100_000_000, at: 8)
            store(low % 100_000_000, at: 16)
            return Bytes(start: memory, count: 24)
        case .binary:
            memory.storeBytes(of: UInt64(truncatingIfNeeded: index).bigEndian, as: UInt64.self)
            return Bytes(start: memory, count: 8)
        case .paths:
            return path(index)
        case .long:
            let number = UInt64(truncatingIfNeeded: index)
            store(number / 100_000_000, at: 184)
            store(number % 100_000_000, at: 192)
            return Bytes(start: memory, count: 200)
        }
    }

    /// Eight digits of the group, so much of the filler as the group draws, two digits of the place in it.
    private func path(_ index: Int) -> Bytes {
        let (group, place) = index.quotientAndRemainder(dividingBy: 100)
        store(UInt64(truncatingIfNeeded: group), at: 0)
        let length = Int(truncatingIfNeeded: mixed(UInt64(truncatingIfNeeded: group)) % 191)
        // The key before has left its end within the filler, or the mark of a missing one.
        (memory + 8).copyMemory(from: memory + Self.blockBytes + 8, byteCount: length)
        memory.storeBytes(of: UInt8(ascii: "0") + UInt8(place / 10), toByteOffset: 8 + length, as: UInt8.self)
        memory.storeBytes(of: UInt8(ascii: "0") + UInt8(place % 10), toByteOffset: 9 + length, as: UInt8.self)
        return Bytes(start: memory, count: 10 + length)
    }

    /// A key beside that of `index`, which is never written.
    @inline(__always)
    func missingKey(_ index: Int) -> Bytes {
        let count = key(index).count
        memory.storeBytes(of: UInt8(ascii: "."), toByteOffset: count, as: UInt8.self)
        return Bytes(start: memory, count: count + 1)
    }

    @inline(__always)
    private func store(_ number: UInt64, at offset: Int) {
        memory.storeBytes(of: Self.digits(number).littleEndian, toByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    private func storeFour(_ number: UInt64, at offset: Int) {
        let lastFour = UInt32(truncatingIfNeeded: Self.digits(number) >> 32)
        memory.storeBytes(of: lastFour.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    /// The eight decimal digits of a number below 10⁸, the first in the lowest byte: halves, quarters and digits are
    /// split in lanes of one register, dividing by multiplication (Khuong, "How to print integers really fast").
    @inline(__always)
    static func digits(_ number: UInt64) -> UInt64 {
        let halves = number / 10_000 | (number % 10_000) << 32
        let hundreds = ((halves &* 10_486) >> 20) & 0x7F_0000_007F
        let quarters = hundreds | (halves &- 100 &* hundreds) << 16
        let tens = ((quarters &* 103) >> 10) & 0x000F_000F_000F_000F
        return (tens | (quarters &- 10 &* tens) << 8) &+ 0x3030_3030_3030_3030
    }
}
