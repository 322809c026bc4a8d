import CRUDKit
import Foundation
import Testing

/// Types that use containers in ways that the compiler's own conformances do not.
struct CompactContainerTests {
    private func coded<T: Codable>(_ value: T) throws -> T {
        try CompactDecoder().decode(T.self, from: CompactEncoder().encode(value))
    }

    /// Opens containers inside each other and writes to them in turns.
    private struct Interleaved: Codable, Equatable {
        var a = 1, b = [2, 3], c = "four", d = [String: Int]()
        enum Keys: String, CodingKey { case a, inner, c, list }
        enum InnerKeys: String, CodingKey { case x, y, deep }

        init() {}

        func encode(to encoder: any Encoder) throws {
            var outer = encoder.container(keyedBy: Keys.self)
            var inner = outer.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
            var list = outer.nestedUnkeyedContainer(forKey: .list)
            try inner.encode(b[0], forKey: .x)
            try outer.encode(a, forKey: .a)
            try list.encode("first")
            var deep = inner.nestedUnkeyedContainer(forKey: .deep)
            try outer.encode(c, forKey: .c)
            try inner.encode(b[1], forKey: .y)
            try deep.encode(9)
            var last = list.nestedContainer(keyedBy: InnerKeys.self)
            try list.encode("third")
            try last.encode(true, forKey: .x)
            try deep.encodeNil()
        }

        init(from decoder: any Decoder) throws {
            let outer = try decoder.container(keyedBy: Keys.self)
            c = try outer.decode(String.self, forKey: .c)
            a = try outer.decode(Int.self, forKey: .a)
            let inner = try outer.nestedContainer(keyedBy: InnerKeys.self, forKey: .inner)
            b = [try inner.decode(Int.self, forKey: .x), try inner.decode(Int.self, forKey: .y)]
            var deep = try inner.nestedUnkeyedContainer(forKey: .deep)
            #expect(deep.count == 2)
            #expect(try deep.decode(Int.self) == 9)
            #expect(try deep.decodeNil())
            #expect(deep.isAtEnd)
            var list = try outer.nestedUnkeyedContainer(forKey: .list)
            #expect(try list.decode(String.self) == "first")
            let last = try list.nestedContainer(keyedBy: InnerKeys.self)
            #expect(try last.decode(Bool.self, forKey: .x))
            #expect(try list.decode(String.self) == "third")
            #expect(list.currentIndex == 3)
            #expect(outer.allKeys == [.inner, .list, .a, .c])
            #expect(outer.contains(.list))
        }
    }

    @Test("Nested containers may be written to in turns") func interleaved() throws {
        #expect(try coded(Interleaved()) == Interleaved())
        #expect(try coded([Interleaved(), Interleaved()]) == [Interleaved(), Interleaved()])
    }

    private class Animal: Codable {
        var name = "Rex"
        init() {}
    }

    /// Encodes its superclass under the key `super`.
    private final class Dog: Animal {
        var tricks = ["sit"]
        override init() { super.init() }
        enum Keys: String, CodingKey { case tricks }
        required init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            tricks = try container.decode([String].self, forKey: .tricks)
            try super.init(from: container.superDecoder())
        }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            try super.encode(to: container.superEncoder())
            try container.encode(tricks, forKey: .tricks)
        }
    }

    /// Encodes its superclass into the same map, and one key of it again.
    private final class Cat: Animal {
        var lives = 9
        override init() { super.init() }
        enum Keys: String, CodingKey { case lives, name }
        required init(from decoder: any Decoder) throws {
            lives = try decoder.container(keyedBy: Keys.self).decode(Int.self, forKey: .lives)
            try super.init(from: decoder)
        }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: Keys.self)
            try container.encode(lives, forKey: .lives)
            try container.encode("again", forKey: .name)
        }
    }

    @Test("A superclass may be encoded apart or into the same map, where the last of two values counts")
    func superclasses() throws {
        let dog = Dog()
        dog.name = "Fido"
        let decodedDog = try coded([dog])[0]
        #expect(decodedDog.name == "Fido" && decodedDog.tricks == ["sit"])
        let decodedCat = try coded([Cat(), Cat()])[1]
        #expect(decodedCat.name == "again" && decodedCat.lives == 9)
    }

    /// Fails to encode one entry, and goes on without it.
    private struct Forgiving: Codable, Equatable {
        struct Failing: Encodable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Keys.self)
                try container.encode("half", forKey: .a)
                var nested = container.nestedUnkeyedContainer(forKey: .b)
                try nested.encode(1)
                throw CancellationError()
            }
        }
        enum Keys: String, CodingKey { case a, b, c, list }
        init() {}
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var before = container.nestedUnkeyedContainer(forKey: .c)
            #expect(throws: CancellationError.self) { try container.encode(Failing(), forKey: .a) }
            #expect(throws: CancellationError.self) { try before.encode(Failing()) }
            try before.encode(7)
            try container.encode(2, forKey: .b)
        }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Keys.self)
            #expect(!container.contains(.a))
            #expect(try container.decode(Int.self, forKey: .b) == 2)
            #expect(try container.decode([Int].self, forKey: .c) == [7])
        }
    }

    @Test("An entry that fails to encode leaves nothing behind") func failedEntries() throws {
        _ = try coded([Forgiving(), Forgiving()])
    }

    /// Breaks the rules of `Encoder`.
    private struct Misbehaving: Encodable {
        let how: Int
        enum Keys: String, CodingKey { case a }
        func encode(to encoder: any Encoder) throws {
            var single = encoder.singleValueContainer()
            switch how {
            case 0:
                try single.encode(1)
                try single.encode(2)
            case 1:
                try single.encode(1)
                var map = encoder.container(keyedBy: Keys.self)
                try map.encode(1, forKey: .a)
            case 2:
                var list = encoder.unkeyedContainer()
                var map = encoder.container(keyedBy: Keys.self)
                try list.encode(1)
                try map.encode(2, forKey: .a)
            default:
                var list = encoder.unkeyedContainer()
                let inner = list.superEncoder()
                var map = inner.container(keyedBy: Keys.self)
                var other = inner.unkeyedContainer()
                try map.encode(1, forKey: .a)
                try other.encode(1)
            }
        }
    }

    @Test("A type that breaks the rules of Encoder is an error, and not a trap", arguments: 0..<4)
    func misbehaving(_ how: Int) {
        #expect(throws: EncodingError.self) { try CompactEncoder().encode([Misbehaving(how: how)]) }
    }

    private final class Node: Codable {
        var next: Node?
        init(_ next: Node?) { self.next = next }
    }

    @Test("Nesting is bounded, and the bound can be reached on a task's stack") func depth() async throws {
        func chain(_ length: Int) -> Node { (1..<length).reduce(Node(nil)) { node, _ in Node(node) } }
        let coded = try await Task.detached { try CompactEncoder().encode(chain(512)) }.value
        let count = try await Task.detached {
            var count = 0
            var node: Node? = try CompactDecoder().decode(Node.self, from: coded)
            while let current = node { (node, count) = (current.next, count + 1) }
            return count
        }.value
        #expect(count == 512)
        #expect(throws: EncodingError.self) { try CompactEncoder().encode(chain(600)) }
    }

    @Test("Errors say where in the value they happened") func codingPaths() throws {
        struct Outer: Codable { var list: [[String: Int]] }
        struct Other: Codable { var list: [[String: String]] }
        let data = try CompactEncoder().encode(Outer(list: [[:], ["k": 1]]))
        do {
            _ = try CompactDecoder().decode(Other.self, from: data)
            Issue.record("decoded a number as a string")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["list", "Index 1", "k"])
        }
    }

    @Test("User information reaches the values") func userInfo() throws {
        struct Asking: Codable {
            init() {}
            init(from decoder: any Decoder) throws { #expect(decoder.userInfo[key] as? String == "hello") }
            func encode(to encoder: any Encoder) throws { #expect(encoder.userInfo[key] as? String == "hello") }
        }
        var (encoder, decoder) = (CompactEncoder(), CompactDecoder())
        encoder.userInfo[key] = "hello"
        decoder.userInfo[key] = "hello"
        _ = try decoder.decode([Asking].self, from: encoder.encode([Asking()]))
    }
}

private let key = CodingUserInfoKey(rawValue: "key")!  // any string makes one
