/// Who is asking, as far as the credentials show.
///
/// Made by the layer that reads headers; read by authorization rules. Equal identities may share cached work.
public struct Identity: Sendable, Hashable {
    /// The authorization modes of AppSync that a caller can have come through.
    public enum Mode: Sendable, Hashable {
        case apiKey
    }

    /// The mode by which the caller was authorized.
    public var mode: Mode

    /// A caller who showed one of the API's keys.
    public static let apiKey = Identity(mode: .apiKey)
}
