import Foundation

/// Dates in XML property lists, whose format has whole seconds only.
///
/// Other dates are stored as a dictionary with the single key `CRUDKit.date`: the seconds since the reference date.
enum PropertyListDates {
    private static let key = "CRUDKit.date"

    /// The dates of whole seconds in the years 1601 to 9986. Calendars agree on them, and they have four digits.
    private static let plain = -12_622_780_800.0..<252_000_000_000.0

    /// True if an XML property list may have dates. Text cannot contain the tag: it is escaped.
    static func mayHaveDates(_ xml: Data) -> Bool { xml.range(of: Data("<date>".utf8)) != nil }

    /// Converts a property list to XML with exact dates.
    static func xml(from list: Data) throws -> Data {
        let exact = replaced(try unsafe PropertyListSerialization.propertyList(from: list, format: nil)) { value in
            guard let date = value as? Date else { return nil }
            let seconds = date.timeIntervalSinceReferenceDate
            let isPlain = plain.contains(seconds) && seconds == seconds.rounded()
            return isPlain ? date : [key: seconds]
        }
        return try PropertyListSerialization.data(fromPropertyList: exact, format: .xml, options: 0)
    }

    /// Converts XML with exact dates to a binary property list, which has such dates. Returns other data as it is.
    static func restored(_ data: Data) throws -> Data {
        if data.starts(with: Data("bplist".utf8)) || data.range(of: Data(key.utf8)) == nil { return data }
        let list: Any
        do {
            list = try unsafe PropertyListSerialization.propertyList(from: data, format: nil)
        } catch {
            return data  // The decoder refuses it with an error of its own.
        }
        let native = replaced(list) { value in
            guard let entries = value as? [String: Any], entries.count == 1 else { return nil }
            return (entries[key] as? Double).map(Date.init(timeIntervalSinceReferenceDate:))
        }
        return try PropertyListSerialization.data(fromPropertyList: native, format: .binary, options: 0)
    }

    /// The list with the replacements of its values, where there are any.
    private static func replaced(_ value: Any, by change: (Any) -> Any?) -> Any {
        if let new = change(value) { return new }
        if let values = value as? [Any] { return values.map { replaced($0, by: change) } }
        if let entries = value as? [String: Any] { return entries.mapValues { replaced($0, by: change) } }
        return value
    }
}
