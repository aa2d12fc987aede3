/// What a signing key is good for: a day, a region and a service.
public struct CredentialScope: Sendable, Hashable {
    /// The day, `20260102`.
    public let day: String
    /// The region, `us-east-1`.
    public let region: String
    /// The service, `cognito-idp`.
    public let service: String

    /// A scope of these parts.
    public init(day: String, region: String, service: String) {
        self.day = day
        self.region = region
        self.service = service
    }

    /// `20260102/us-east-1/cognito-idp/aws4_request`.
    public var text: String { "\(day)/\(region)/\(service)/\(Self.termination)" }

    /// The last part of each scope.
    static let termination = "aws4_request"

    /// The service of object storage. S3 encodes a path once and takes the payload hash from a header.
    var isS3: Bool { service == "s3" }
}
