/// The numbers of a type's properties by coding key: first columns, then array properties that joins fill.
///
/// Synthesized keys are enums of one byte, which index a table that is filled at the first use of a key. Other keys are
/// compared with the property after the last one, because code requests them in order, and else looked up by name.
@safe final class PropertyNumbers {
    private let names: PropertyNames
    private let isByte: Bool
    private let table: UnsafeMutablePointer<UInt16>
    private var next = 0

    /// - Parameter isByte: true if the keys are trivial and one byte wide.
    init(_ names: PropertyNames, isByte: Bool) {
        self.names = names
        self.isByte = isByte
        unsafe table = .allocate(capacity: 256)
        unsafe table.initialize(repeating: .max, count: 256)
    }

    deinit { unsafe table.deallocate() }

    static func isByte<Key: CodingKey>(_ type: Key.Type) -> Bool { MemoryLayout<Key>.size == 1 && _isPOD(type) }

    /// The number of a key's property; ``PropertyNames/unknown`` if there is none.
    /// - Parameter key: always of the same type.
    @inline(__always)
    func number<Key: CodingKey>(_ key: Key) -> Int {
        if isByte {
            let byte = unsafe unsafeBitCast(key, to: UInt8.self)
            let known = unsafe table[Int(byte)]
            if known != .max { return Int(known) }
            return find(key.stringValue, byte: byte)
        }
        return find(key.stringValue, byte: nil)
    }

    @inline(never)
    private func find(_ name: String, byte: UInt8?) -> Int {
        if next < names.list.count, names.list[next] == name {
            next += 1
            if let byte { remember(next - 1, byte) }
            return next - 1
        }
        guard let number = names.numbers[name] else {
            names.lastUnknown = name
            return names.unknown
        }
        next = number + 1
        if let byte { remember(number, byte) }
        return number
    }

    private func remember(_ number: Int, _ byte: UInt8) {
        if number < UInt16.max { unsafe table[Int(byte)] = UInt16(number) }
    }
}

/// The names of a type's properties.
final class PropertyNames {
    /// By number.
    let list: [String]
    let numbers: [String: Int]
    /// The number for keys that are no property.
    let unknown: Int
    /// The last requested name that is no property, for error messages.
    var lastUnknown = ""

    init(_ list: [String]) {
        self.list = list
        numbers = Dictionary(zip(list, 0...)) { first, _ in first }
        unknown = list.count
    }

    /// The name of a property by number.
    subscript(number: Int) -> String { number < list.count ? list[number] : lastUnknown }
}
