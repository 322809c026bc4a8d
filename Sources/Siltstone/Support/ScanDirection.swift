/// Whether a scan returns keys in ascending (forward) or descending (backward) order.
enum ScanDirection: Sendable {
    case forward, backward
}
