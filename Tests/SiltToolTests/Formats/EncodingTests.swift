import Foundation
import Testing

@testable import SiltTool

struct EncodingTests {
    @Test(
        "Base64 is that of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func base64Vectors(_ plain: String, _ digits: String) {
        #expect(String(decoding: Encoding.base64.encode(Array(plain.utf8)), as: UTF8.self) == digits)
        #expect(Encoding.base64.decode(digits) == Array(plain.utf8))
    }

    @Test("Base64 of any bytes is Foundation's, and comes back")
    func base64Random() {
        var generator = SeededGenerator(seed: 5)
        for length in 0..<200 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            let digits = String(decoding: Encoding.base64.encode(bytes), as: UTF8.self)
            #expect(digits == Data(bytes).base64EncodedString())
            #expect(Encoding.base64.decode(digits) == bytes)
        }
    }

    @Test(
        "Base64 has one spelling for each value",
        arguments: [
            "Z", "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "=", "====", "Z===", "Zg==Zg==", "Zm 9v", "Zm-_", "Zm9v\n",
        ])
    func base64Refuses(_ digits: String) {
        #expect(Encoding.base64.decode(digits) == nil)
    }

    @Test("Hexadecimal takes both cases and whole bytes only")
    func hexadecimal() {
        #expect(Encoding.hexadecimal.decode("00fFaB") == [0x00, 0xff, 0xab])
        #expect(Encoding.hexadecimal.decode("") == [])
        #expect(Encoding.hexadecimal.decode("0") == nil)
        #expect(Encoding.hexadecimal.decode("0g") == nil)
        #expect(Hexadecimal.encode([0x00, 0xff, 0xab]) == "00ffab")
    }

    @Test("What is well-formed UTF-8 is what the standard library takes for it")
    func utf8() {
        var generator = SeededGenerator(seed: 11)
        let interesting: [UInt8] = [
            0x00, 0x22, 0x41, 0x5c, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec,
            0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff,
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...12, using: &generator)
            let bytes = (0..<count).map { _ in interesting.randomElement(using: &generator) ?? 0 }
            let isValid = bytes.withUnsafeBytes { UTF8Scan.isValid(Bytes($0)) }
            #expect(isValid == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes)")
        }
    }

    @Test("The first byte that text cannot carry is found at every place in a word")
    func firstSpecial() {
        for special in [0x00, 0x1f, 0x22, 0x5c, 0x80, 0xff] as [UInt8] {
            for place in 0..<20 {
                var bytes = [UInt8](repeating: 0x21, count: 24)
                bytes[place] = special
                bytes[21] = 0x22
                #expect(bytes.withUnsafeBytes { UTF8Scan.firstSpecial(Bytes($0), from: 0) } == place)
                #expect(bytes.withUnsafeBytes { UTF8Scan.firstSpecial(Bytes($0), from: place + 1) } == 21)
            }
        }
    }
}
