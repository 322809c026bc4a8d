/// The direction of a scan.
enum ScanDirection: Sendable {
    case forward, backward
}
