/// A part of a request's authentication, in AWS's words.
public enum SignaturePart: Sendable, Hashable {
    /// The scheme of the Authorization header, or `X-Amz-Algorithm`.
    case algorithm
    /// `Credential`, or `X-Amz-Credential`. In Signature Version 2 `AWSAccessKeyId`.
    case credential
    /// `SignedHeaders`, or `X-Amz-SignedHeaders`.
    case signedHeaders
    /// `Signature`, or `X-Amz-Signature`.
    case signature
    /// The header `X-Amz-Date`, or else `Date`; in the query `X-Amz-Date`.
    case date
    /// `X-Amz-Expires`. In Signature Version 2 `Expires`.
    case expires
    /// `X-Amz-Security-Token`.
    case securityToken
    /// `X-Amz-Content-Sha256`, or the hash of the body where a service is not S3.
    case payloadHash
}
