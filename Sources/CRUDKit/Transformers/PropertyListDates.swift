import Foundation

/// Dates in XML property lists, whose format has whole seconds only.
///
/// Other dates are stored as a dictionary with the single key `CRUDKit.date`: the seconds since the reference date. A
/// dictionary of an item that looks so gets a `!` behind its key, and so does one with such a key.
enum PropertyListDates {
    private static let key = "CRUDKit.date"

    /// The dates of whole seconds in the years 1601 to 9986. Calendars agree on them, and they have four digits.
    private static let plain = -12_622_780_800.0..<252_000_000_000.0

    /// True if an XML property list may have dates, or dictionaries that look like them. Text cannot contain the tag,
    /// because it is escaped.
    static func mayHaveDates(_ xml: Data) -> Bool {
        xml.contains(text: "<date>") || xml.contains(text: key)
    }

    /// Converts a property list to XML with exact dates.
    static func xml(from list: Data) throws -> Data {
        let exact = exact(try unsafe PropertyListSerialization.propertyList(from: list, format: nil))
        return try PropertyListSerialization.data(fromPropertyList: exact, format: .xml, options: 0)
    }

    /// Converts XML with exact dates to a binary property list, which has such dates. Returns other data as it is.
    static func restored(_ data: Data) throws -> Data {
        if data.starts(with: Data("bplist".utf8)) || !data.contains(text: key) { return data }
        let list: Any
        do {
            list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
        } catch {
            return data  // The decoder refuses it with an error of its own.
        }
        return try PropertyListSerialization.data(fromPropertyList: native(list), format: .binary, options: 0)
    }

    /// The list with exact dates.
    private static func exact(_ value: Any) -> Any {
        if let date = value as? Date {
            let seconds = date.timeIntervalSinceReferenceDate
            let isPlain = plain.contains(seconds) && seconds == seconds.rounded()
            return isPlain ? date : [key: seconds]
        }
        if let values = value as? [Any] { return values.map(exact) }
        guard let entries = value as? [String: Any] else { return value }
        if let (name, value) = lookalike(entries) { return [name + "!": exact(value)] }
        return entries.mapValues(exact)
    }

    /// The list with the dates and the dictionaries that ``exact(_:)`` was given.
    private static func native(_ value: Any) -> Any {
        if let values = value as? [Any] { return values.map(native) }
        guard let entries = value as? [String: Any] else { return value }
        guard let (name, value) = lookalike(entries) else { return entries.mapValues(native) }
        if name != key { return [String(name.dropLast()): native(value)] }
        return (value as? Double).map(Date.init(timeIntervalSinceReferenceDate:)) ?? [name: native(value)]
    }

    /// The entry of a dictionary with the key of dates, or with that key and some `!`, alone.
    private static func lookalike(_ entries: [String: Any]) -> (name: String, value: Any)? {
        guard entries.count == 1, let (name, value) = entries.first, name.hasPrefix(key),
            name.dropFirst(key.count).allSatisfy({ $0 == "!" })
        else { return nil }
        return (name, value)
    }
}
