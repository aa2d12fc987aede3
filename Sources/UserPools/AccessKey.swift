/// A pair of keys that signs requests (reference: auth, "Signatures").
public struct AccessKey: Sendable, Hashable {
    /// The key's id, such as `AKIA…`.
    public var id: String
    /// The secret.
    public var secret: String
    /// What its owner may do.
    public var role: AccessRole
    /// The services it may be used with, of `knownServices`; nil for all.
    public var services: [String]?
    /// The ARN of the owner; nil for that of a user with the name of the key's id.
    public var ownerARN: String?
    /// The root fields of the API that it may call, as patterns such as `Query.*`; empty for all.
    public var resources: [String] = []

    /// A pair of its parts.
    public init(id: String, secret: String, role: AccessRole = .owner, services: [String]? = nil) {
        (self.id, self.secret, self.role, self.services) = (id, secret, role, services)
    }

    /// The names of the services that verify signatures, as signatures have them.
    public static let knownServices = ["cognito-idp", "cognito-identity", "sts", "s3", "mobiletargeting", "appsync"]

    /// Whether it may sign requests for a service.
    public func maySign(for service: String) -> Bool { services?.contains(service) ?? true }

    /// The name by which AWS would know the owner.
    public var userARN: String { ownerARN ?? Self.userARN(id) }

    static func userARN(_ id: String) -> String { "arn:aws:iam::\(TemporaryIdentity.accountID):user/\(id)" }

    /// The account in that name: 12 digits.
    public var accountID: String {
        let parts = userARN.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard parts.count == 6, parts[4].utf8.count == 12,
            parts[4].utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        else { return TemporaryIdentity.accountID }
        return String(parts[4])
    }
}
