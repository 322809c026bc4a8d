/// The type of a date column that another program has made in PostgreSQL. Siltstone's own date columns are doubles.
package enum DateForm: Sendable, Hashable {
    /// `timestamp with time zone`.
    case instant
    /// `timestamp`, whose times are those of UTC.
    case universal
    /// `date`.
    case day

    /// - Parameter native: the server's name of the type.
    init?(native: String) {
        if native == "date" {
            self = .day
        } else if native.hasPrefix("timestamp") {
            self = native.hasSuffix(" with time zone") ? .instant : .universal
        } else {
            return nil
        }
    }

    /// Seconds since the reference date, converted to the column's type and rounded to microseconds. For a `date` it
    /// is a time: a comparison compares with that time, an assignment keeps its day.
    func value(ofSeconds seconds: String) -> String {
        let instant = "to_timestamp(\(seconds) + \(Self.epoch))"
        return self == .instant ? instant : "(\(instant) AT TIME ZONE 'UTC')"
    }

    /// The column in seconds since the reference date.
    func seconds(of column: String) -> String {
        // Before PostgreSQL 14, extract() gives a double, and the difference may be off by a quarter of a microsecond.
        "(extract(epoch FROM \(column)) - \(Self.epoch))::double precision"
    }

    /// The reference date, in seconds since 1970.
    private static let epoch = 978_307_200
}
