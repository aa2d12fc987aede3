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
        return parts.count == 6 && Self.isAccountID(parts[4]) ? String(parts[4]) : TemporaryIdentity.accountID
    }

    private static func isAccountID(_ text: Substring) -> Bool {
        text.utf8.count == 12 && text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
    }

    /// Whether a text is the ARN of a caller that is no identity of an identity pool: of a user, of a federated user or of the session of
    /// a role (AWS Identity and Access Management User Guide, "IAM identifiers").
    package static func isOwnerARN(_ text: String) -> Bool {
        let parts = text.split(separator: ":", maxSplits: 5, omittingEmptySubsequences: false)
        guard text.utf8.count <= 2_048, parts.count == 6, parts[0] == "arn", parts[1] == "aws", parts[3].isEmpty,
            isAccountID(parts[4])
        else { return false }
        let names = parts[5].split(separator: "/", omittingEmptySubsequences: false)
        guard let name = names.last, isOwnerName(name) else { return false }
        switch (parts[2], names[0]) {
        // A path may precede the name of a user. It has any printable characters of ASCII.
        case ("iam", "user"):
            return names.count >= 2
                && names.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy((0x21...0x7E as ClosedRange<UInt8>).contains) }
        case ("sts", "federated-user"): return names.count == 2
        case ("sts", "assumed-role"):
            return names.count == 3 && isOwnerName(names[1]) && name != "CognitoIdentityCredentials"
        default: return false
        }
    }

    /// Whether a text is the name of a user, of a role or of a session (the same guide, "IAM and AWS STS quotas").
    private static func isOwnerName(_ text: Substring) -> Bool {
        1...64 ~= text.utf8.count
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "_+=,.@-".utf8.contains(byte)
                }
            }
    }
}
