/// A reader of bytes that nobody vouches for, under attack by bytes that somebody made up.
///
/// The same functions run under libFuzzer (`Tests/Fuzzing/run.sh`) and, for a moment, in every `swift test`. Each takes
/// any bytes at all. A reader may make something of them or throw its typed error; it must not trap, hang, read outside
/// of them or take memory out of proportion to them, even where every checksum is right. What a reader has accepted must
/// hold together: that is what ``FuzzFailure`` tells.
enum FuzzTarget: String, CaseIterable, Sendable {
    /// A write-ahead log: frames, tail, salvage, recovery, repair.
    case log
    /// A segment: opening, lookups, scans both ways, verification, salvage.
    case segment
    /// A manifest, or a `CURRENT`, over files that are well.
    case manifest
    /// A value file: its scanner and its reader.
    case values
    /// A message of the compact encoding.
    case compact
    /// What `silt load` reads: JSON lines or tab-separated ones.
    case records
    /// All the files of a store.
    case store

    /// Attacks the reader once.
    /// - Throws: ``FuzzFailure`` where it does not hold together. Errors of the readers themselves end here.
    func run(_ bytes: [UInt8]) throws {
        switch self {
        case .log: try LogTarget.run(bytes)
        case .segment: try SegmentTarget.run(bytes)
        case .manifest: try ManifestTarget.run(bytes)
        case .values: try ValuesTarget.run(bytes)
        case .compact: try CompactTarget.run(bytes)
        case .records: try RecordsTarget.run(bytes)
        case .store: try StoreTarget.run(bytes)
        }
    }

    /// Makes all checksums right, as far as the bytes have the structure for them: a checksum would else stop every
    /// mutation at the door, and what is behind the door would never be attacked.
    func seal(_ bytes: inout [UInt8]) {
        switch self {
        case .log: Seal.frames(&bytes, FuzzFiles.logHeader)
        case .segment: Seal.segment(&bytes, FuzzFiles.segmentHeader)
        case .manifest: ManifestTarget.seal(&bytes)
        case .values: Seal.values(&bytes, FuzzFiles.valuesHeader)
        case .compact, .records: break
        case .store: StoreTarget.seal(&bytes)
        }
    }

    /// The greatest input that is worth its time, in bytes.
    var greatestInput: Int {
        switch self {
        case .compact, .records: 4 << 10
        case .log, .segment, .manifest, .values: 16 << 10
        case .store: 48 << 10
        }
    }
}

/// A reader accepted something that does not hold together.
struct FuzzFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }

    /// Throws unless `condition` holds.
    static func unless(_ condition: Bool, _ description: @autoclosure () -> String) throws {
        if !condition { throw FuzzFailure(description()) }
    }
}
