import Testing

@testable import Siltstone

struct FrameChecksumTests {
    /// The definition, bit by bit.
    private func reference(_ bytes: some Sequence<UInt8>) -> UInt32 {
        var state = ~UInt32(0)
        for byte in bytes {
            state ^= UInt32(byte)
            for _ in 0..<8 { state = state & 1 == 1 ? (state >> 1) ^ 0xedb8_8320 : state >> 1 }
        }
        return ~state
    }

    @Test("the check value of CRC-32 comes out")
    func checkValue() {
        #expect(Array("123456789".utf8).withBytes { CRC32.checksum($0) } == 0xcbf4_3926)
    }

    @Test("every length gives the defined value, whole and in two parts")
    func lengths() {
        var generator = SeededGenerator(3)
        let bytes = generator.bytes(1100)
        for length in Array(0...300) + [399, 400, 401, 511, 512, 528, 529, 783, 784, 800, 1100] {
            let part = Array(bytes.prefix(length))
            let expected = reference(part)
            part.withBytes { whole in
                #expect(CRC32.checksum(whole) == expected)
                let first = CRC32.checksum(Bytes(rebasing: whole[..<(length / 3)]))
                #expect(CRC32.checksum(Bytes(rebasing: whole[(length / 3)...]), continuing: first) == expected)
                if CRC32.multiplies, length >= 16 {
                    #expect(CRC32.multiplied(whole, continuing: 0, wide: false) == expected)
                }
                #expect(CRC32.portable(whole, continuing: 0) == expected)
                #expect(CRC32.portable(Bytes(rebasing: whole[(length / 3)...]), continuing: first) == expected)
            }
        }
    }

    @Test("five words and the bytes behind them give the value of all of them")
    func words() {
        var generator = SeededGenerator(4)
        for length in stride(from: 0, through: 1100, by: 8) {
            let words = (0..<5).map { _ in generator.next() }
            let rest = generator.bytes(length)
            var bytes: [UInt8] = []
            for word in words { bytes.append(integer: word) }
            #expect(CRC32.sliced(words[0], words[1], words[2], words[3], words[4]) == reference(bytes))
            let checksum = rest.withBytes {
                CRC32.checksum(words[0], words[1], words[2], words[3], words[4], then: $0)
            }
            #expect(checksum == reference(bytes + rest))
        }
    }

    @Test("a word gives the value of its 8 bytes")
    func word() {
        var generator = SeededGenerator(5)
        for _ in 0..<100 {
            let (word, before) = (generator.next(), generator.bytes(3))
            var bytes = before
            bytes.append(integer: word)
            let start = before.withBytes { CRC32.checksum($0) }
            #expect(CRC32.checksum(word, continuing: start) == reference(bytes))
        }
    }
}
