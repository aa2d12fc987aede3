/// All bounds of the console's links and sessions, each with its unit at the end of its name.
enum ConsoleLimits {
    /// Random bytes of a link, and of a session.
    static let secretBytes = 32
    /// How long a link is valid in `dev`, in seconds.
    static let linkSecondsOfDev = 24 * 3600
    /// The same in `serve`.
    static let linkSecondsOfServe = 600
    /// Links that nobody has opened yet; beyond that, the oldest is dropped.
    static let linkCountMax = 100
    /// How long a session may be unused, in seconds.
    static let idleSeconds = 12 * 3600
    /// The same for a developer's session, which began in `dev` on its own machine.
    static let idleSecondsOfDeveloper = 30 * 86_400
    /// Sessions at one time; beyond that, the one that was unused longest ends.
    static let sessionCountMax = 1_000
    /// The least time between two writes of when a session was used, in seconds.
    static let useSeconds = 3_600
    /// Bytes of the file that keeps sessions.
    static let fileBytesMax = 1 << 20
    /// Wrong links of an address within `wrongLinkSeconds`; further attempts are refused until that time is over.
    static let wrongLinkCountMax = 5
    static let wrongLinkSeconds = 60
    /// Addresses whose wrong links are counted separately; those of all others are counted together.
    static let addressCountMax = 1_000
}
