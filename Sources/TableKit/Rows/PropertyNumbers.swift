/// The numbers of a type's properties by coding key: columns first, then array properties that joins fill.
///
/// The keys of synthesized code are enums of one byte, whose values index a table; it is filled when a key is first seen.
/// Other keys are compared with the property after the last one, as code asks in order, and else looked up by name.
@safe final class PropertyNumbers<Key: CodingKey> {
    private let names: PropertyNames
    private let isByte: Bool
    private let table: UnsafeMutablePointer<UInt16>
    private var next = 0

    init(_ names: PropertyNames) {
        self.names = names
        isByte = MemoryLayout<Key>.size == 1 && _isPOD(Key.self)
        unsafe table = .allocate(capacity: 256)
        unsafe table.initialize(repeating: .max, count: 256)
    }

    deinit { unsafe table.deallocate() }

    /// The number of a key's property; ``PropertyNames/unknown`` where there is none.
    @inline(__always)
    func number(_ key: Key) -> Int {
        if isByte {
            let known = unsafe table[Int(unsafeBitCast(key, to: UInt8.self))]
            if known != .max { return Int(known) }
        }
        return find(key)
    }

    @inline(never)
    private func find(_ key: Key) -> Int {
        let name = key.stringValue
        if !isByte, next < names.list.count, names.list[next] == name {
            next += 1
            return next - 1
        }
        guard let number = names.numbers[name] else {
            names.lastUnknown = name
            return names.unknown
        }
        next = number + 1
        if isByte, number < UInt16.max {
            unsafe table[Int(unsafeBitCast(key, to: UInt8.self))] = UInt16(number)
        }
        return number
    }
}

/// The names of a type's properties.
final class PropertyNames {
    /// By number.
    let list: [String]
    let numbers: [String: Int]
    /// The number of keys that are no property.
    let unknown: Int
    /// The name that was last asked for and is no property: for messages.
    var lastUnknown = ""

    init(_ list: [String]) {
        self.list = list
        numbers = Dictionary(zip(list, 0...)) { first, _ in first }
        unknown = list.count
    }

    /// The name of a number.
    subscript(number: Int) -> String { number < list.count ? list[number] : lastUnknown }
}
