import Siltstone
import TableKit

/// What a session does when it ends.
final class SessionEnding {
    init() {}
    func commit<Reader>(_ session: SiltstoneSession<Reader>) throws {}
    func commit<Reader>(_ session: SiltstoneSession<Reader>) async throws {}
    func rollback<Reader>(_ session: SiltstoneSession<Reader>) {}
}
