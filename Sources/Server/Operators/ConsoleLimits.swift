/// All bounds of the console's links, sessions and WebSockets, each with its unit at the end of its name.
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
    /// The least time between two writes of the file because a session was used, in seconds.
    static let useWriteSeconds = 3_600
    /// Bytes of the file that keeps sessions.
    static let fileBytesMax = 1 << 20
    /// Wrong links of an address within `wrongLinkSeconds`; further attempts are refused until that time is over.
    static let wrongLinkCountMax = 5
    static let wrongLinkSeconds = 60
    /// Addresses whose wrong links are counted separately; those of all others are counted together.
    static let addressCountMax = 1_000

    /// Pages that are connected to the live channel.
    static let liveConnectionCountMax = 256
    /// Topics that a page follows at one time.
    static let liveFollowedCountMax = 64
    /// Bytes of a topic's name.
    static let liveTopicBytesMax = 256
    /// Messages of a topic in a second; further ones are left out and counted.
    static let liveMessagesPerSecondMax = 20
    /// Bytes of a message; a larger one is replaced by one that says that something was left out.
    static let liveMessageBytesMax = 16 << 10
    /// Messages, of all topics, that are kept for pages that connect again.
    static let liveKeptMessageCount = 1_000
    /// How long the messages of a topic that nobody follows are still made, for a page that connects again, in seconds.
    static let liveTopicIdleSeconds = 60
    /// Topics beyond which none is kept that nobody follows.
    static let liveTopicCountMax = 1_024
    /// Bytes of a message of a page.
    static let liveRequestBytesMax = 16 << 10
    /// Messages of a page within `liveRequestSeconds`.
    static let liveRequestCountMax = 100
    static let liveRequestSeconds = 10
    /// Bytes that wait for a page to read them.
    static let liveWaitingBytesMax = 1 << 20
    /// Bytes of missed messages that a page is sent when it connects again: less than may wait for it, or it would be closed for
    /// them each time.
    static let liveResumedBytesMax = 512 << 10
    /// Seconds of a page's silence after which it is sent a ping.
    static let livePingSeconds = 30
    /// Requests that are kept for operators, and their bytes.
    static let recordedRequestCountMax = 10_000
    static let recordedBytesMax = 32 << 20
    /// Bytes of a body whose document and variables are kept.
    static let recordedContentBytesMax = 64 << 10
    /// Bytes of an answer that are kept.
    static let recordedAnswerBytesMax = 64 << 10
    /// Types of an answer's errors that are kept; an answer may have an error for each item of a list.
    static let recordedErrorTypeCountMax = 16
    /// Unicode scalars of a client's name for itself that each of its WebSockets keeps.
    static let recordedClientScalarCountMax = 256
    /// Levels of variables that are shown.
    static let recordedDepthMax = 64
    /// Requests that are compared with a filter while others wait to be added.
    static let recordedPartCount = 256
    /// Calls of functions that are kept for operators, their bytes, and bytes of an answer.
    static let recordedCallCountMax = 1_000
    static let recordedCallBytesMax = 4 << 20
    static let recordedCallAnswerBytesMax = 16 << 10
    /// Lines of the log that are kept for operators, their bytes, and bytes of a text in one.
    static let logLineCountMax = 1_000
    static let logLineBytesMax = 1 << 20
    static let logTextBytesMax = 2 << 10
    /// Milliseconds between two messages that requests were recorded.
    static let recordedNoticeMilliseconds = 100
    /// How long an owner may have contents recorded, in seconds.
    static let recordingSecondsMax = 900
    /// Seconds within which a page presents the secret of its session at a WebSocket.
    static let socketSecretSeconds = 10
    /// Milliseconds between two checks of whether the operator at a WebSocket is still signed in.
    static let presenceMilliseconds = 1_000
}
