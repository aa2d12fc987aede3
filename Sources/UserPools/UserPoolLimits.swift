/// The bounds of user pools.
public struct UserPoolLimits: Sendable, Hashable {
    /// Pools, those of the configuration included.
    public var poolsMax = 1_000
    /// Clients of a pool.
    public var clientsPerPoolMax = 1_000
    /// Groups of a pool.
    public var groupsPerPoolMax = 10_000
    /// Groups of a user.
    public var groupsPerUserMax = 100
    /// Bytes of the names and values of a user's attributes. An id token contains all of them and must fit into the head of a
    /// request.
    public var attributeBytesPerUserMax = 8 << 10
    /// Sessions of a user; the oldest ends when one more begins.
    public var sessionsPerUserMax = 100
    /// Devices of a user; the oldest is forgotten when one more is made.
    public var devicesPerUserMax = 100
    /// Users of a pool.
    public var usersPerPoolMax = 40_000_000
    /// Sign-ups from an address in an hour.
    public var signUpsPerAddressPerHour = 1_000
    /// Authorization codes, and tokens without one, of the hosted pages that a user is given in an hour.
    public var authorizationCodesPerUserPerHour = 1_000
    /// Guests of identity pools from an address in an hour.
    public var guestsPerAddressPerHour = 10_000
    /// Messages that an address causes in an hour.
    public var messagesPerAddressPerHour = 2_000
    /// Messages to a recipient in a pool in an hour, those to unverified addresses and those of second factors each counted apart, and
    /// codes that are requested for a user or a name.
    public var messagesPerRecipientPerHour = 100
    /// Wrong passwords and codes from an address in an hour.
    public var failuresPerAddressPerHour = 5_000
    /// Messages that the outbox keeps; the oldest leave first.
    public var outboxMessagesMax = 10_000
    /// Days after which guests of identity pools who got no credentials and no token are removed. 0: never, as at AWS.
    public var unusedGuestDays = 0
    /// Days after which users who have not confirmed their sign-up are removed.
    public var unconfirmedUserDays = 7
    /// Operations at work at one time.
    public var operationsMax = 256
    /// Verified tokens that the server remembers, so that it does not verify their signature again. The one that was used
    /// least recently is forgotten first; an evicted token costs another verification.
    public var seenTokensMax = 10_000

    /// The bounds that fit a small server.
    public init() {}
}
