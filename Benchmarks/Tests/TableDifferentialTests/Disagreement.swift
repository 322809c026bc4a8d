#if PEER_SQLITE
/// The two databases do not agree.
struct Disagreement: Error, CustomStringConvertible {
    let description: String
}
#endif
