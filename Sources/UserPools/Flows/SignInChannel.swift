/// How a sign-in reaches the server. A `Session` is valid for the channel that it was issued to.
enum SignInChannel: String, Sendable {
    /// `InitiateAuth` and `RespondToAuthChallenge`.
    case api
    /// `AdminInitiateAuth` and `AdminRespondToAuthChallenge`, whose callers sign their requests.
    case administration
    /// The hosted pages.
    case hosted

    /// Whether a session of `other` may be continued here. An administrator may complete what a client has begun.
    func continues(_ other: SignInChannel) -> Bool { self == other || (self == .administration && other == .api) }
}
