import Synchronization
import Tables

/// Counts tokens with invalid signatures by the network that sent them. A network that sent too many has no new tokens verified
/// until the window is over, because verifying a signature costs more than sending one. Tokens that are cached are accepted.
final class ForgedTokens: Sendable {
    private struct Window {
        var start: Int64 = 0
        var counts: [String: Int] = [:]
    }

    private let window = Mutex(Window())
    private let clock: WallClock
    /// The window in which tokens are counted, in milliseconds. Then all counts are zero again.
    static let windowMilliseconds: Int64 = 10_000
    /// The most invalid tokens of a network in a window.
    static let perNetworkMax = 1_000
    /// Other credentials of such a network that are verified at one time: signed requests, and tokens for an authorizer.
    static let underWayMax = 4
    /// The most networks that are counted in a window. The tokens of further ones are not limited.
    static let networksMax = 50_000

    init(clock: WallClock) { self.clock = clock }

    /// Counts a token whose signature is invalid.
    func count(from network: String) {
        let now = clock.milliseconds()
        window.withLock { window in
            if Self.isOver(window, now) { window = Window(start: now) }
            guard window.counts[network] != nil || window.counts.count < Self.networksMax else { return }
            window.counts[network, default: 0] += 1
        }
    }

    /// Whether the network sent too many.
    func refuses(_ network: String) -> Bool {
        let now = clock.milliseconds()
        return window.withLock { window in
            !Self.isOver(window, now) && window.counts[network] ?? 0 >= Self.perNetworkMax
        }
    }

    private static func isOver(_ window: Window, _ now: Int64) -> Bool {
        !(window.start..<window.start + windowMilliseconds).contains(now)
    }
}
