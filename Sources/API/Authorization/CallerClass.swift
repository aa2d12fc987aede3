/// What a plan depends on of who asks: by which modes and groups types and fields are reached, what the policy of a signed
/// request allows, and what a Lambda authorizer denies. Callers of one class share plans.
///
/// Of most APIs all callers are of one class: those with one mode, whose types and fields name no other.
struct CallerClass: Sendable, Hashable {
    /// How a signed request was authorized.
    enum Signer: UInt8, Sendable, Hashable {
        /// It is not signed, or there is no policy for its role.
        case unrestricted
        case authenticated
        case unauthenticated
    }

    var mode: Identity.Mode
    /// The gates with groups that the caller passes, by their places in `SchemaGates`.
    var groupGates: [Int] = []
    var signer = Signer.unrestricted
    /// The root fields that the role of an access key may call, as patterns such as `Query.*`; empty for all.
    var resources: [String] = []
    /// The fields that a Lambda authorizer denies.
    var deniedFields: Set<FieldCoordinate> = []

    /// A number that differs between most classes, for hashing.
    var mark: UInt64 {
        guard groupGates.isEmpty, deniedFields.isEmpty, resources.isEmpty else {
            return UInt64(truncatingIfNeeded: hashValue)
        }
        return (UInt64(mode.rawValue) << 2 | UInt64(signer.rawValue)) &* 0x9E37_79B9_7F4A_7C15
    }

    /// The only class of an API without gates.
    static let only = CallerClass(mode: .apiKey)
}
