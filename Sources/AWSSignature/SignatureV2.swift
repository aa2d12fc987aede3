import Crypto
import Encodings

/// AWS Signature Version 2 in the query of a request to S3: read first, verified when the secret is known.
///
/// Amazon S3 User Guide, "Signing and authenticating REST requests", "Query string request authentication alternative".
/// boto3 presigns so for custom endpoints. This version covers the method, the path, the sub-resources, `Content-MD5`,
/// `Content-Type` and what begins with `x-amz-`; any other header or parameter is not signed.
public struct SignatureV2: Sendable {
    /// The request as sent.
    public let request: SignedRequest
    /// The access key id, `AWSAccessKeyId`.
    public let accessKeyID: String
    /// The moment until which the URL is valid, in seconds since 1970.
    public let expiresAt: Int64
    /// The session token of temporary credentials. It is signed; whether it belongs to the key is for the caller to
    /// check.
    public let sessionToken: String?
    private let signature: [UInt8]
    private let query: QueryParameters

    /// Reads `AWSAccessKeyId`, `Expires` and `Signature`. It throws `missing` when the query has neither the first nor
    /// the last of them.
    public init(of request: SignedRequest) throws(SignatureError) {
        let query = try QueryParameters(request.query)
        guard query.contains("AWSAccessKeyId") || query.contains("Signature") else { throw .missing }
        guard request.values(ofHeader: "authorization").isEmpty, !SignatureV4.isPresigned(query) else {
            throw .multipleMechanisms
        }
        guard let accessKeyID = try query.value(of: "AWSAccessKeyId", as: .credential) else {
            throw .missingPart(.credential)
        }
        guard 1...SignatureLimits.accessKeyIDBytesMax ~= accessKeyID.utf8.count, accessKeyID.isVisibleASCII else {
            throw .malformedPart(.credential)
        }
        guard let expires = try query.value(of: "Expires", as: .expires) else { throw .missingPart(.expires) }
        guard 1...12 ~= expires.utf8.count, expires.utf8.allSatisfy({ $0.decimalDigit != nil }),
            let expiresAt = Int64(expires)
        else { throw .malformedPart(.expires) }
        guard let signature = try query.value(of: "Signature", as: .signature) else { throw .missingPart(.signature) }
        guard let bytes = Self.bytes(ofSignature: signature) else { throw .malformedPart(.signature) }
        self.request = request
        self.query = query
        self.accessKeyID = accessKeyID
        self.expiresAt = expiresAt
        self.signature = bytes
        let fields = try Self.amazonFields(request, query)
        sessionToken = fields.first { $0.name == "x-amz-security-token" }?.value
    }

    /// Verifies the signature by the secret of `accessKeyID`.
    ///
    /// `now` is in seconds since 1970. `bucketOfHost` is the bucket of a virtual-host style request, whose path lacks
    /// it.
    public func verify(secret: String, now: Int64, bucketOfHost: String? = nil) throws(SignatureError) {
        guard now <= expiresAt else { throw .expired }
        let text = try stringToSign(bucketOfHost: bucketOfHost)
        let key = SymmetricKey(data: Array(secret.utf8))
        guard
            HMAC<Insecure.SHA1>.isValidAuthenticationCode(signature, authenticating: Array(text.utf8), using: key)
        else { throw .signatureMismatch }
    }

    /// The string to sign, which AWS shows in SignatureDoesNotMatch.
    public func stringToSign(bucketOfHost: String? = nil) throws(SignatureError) -> String {
        let md5 = try field("content-md5") ?? ""
        let type = try field("content-type") ?? ""
        var text = "\(request.method)\n\(md5)\n\(type)\n\(expiresAt)\n"
        for (name, value) in try Self.amazonFields(request, query) { text += "\(name):\(value)\n" }
        return text + resource(bucketOfHost) + (try subresources())
    }
}

// MARK: - The parts of the string to sign

extension SignatureV2 {
    /// `Content-MD5` and `Content-Type` are headers; boto3 also writes them into the query.
    private func field(_ name: String) throws(SignatureError) -> String? {
        let header = try request.value(ofHeader: name)?.trimmingBlanks
        guard header == nil else { return header }
        guard let value = try query.value(of: name, as: .signature) else { return nil }
        return try Self.line(value)
    }

    /// CanonicalizedAmzHeaders: what begins with `x-amz-`, of the headers and of the query, sorted by name.
    ///
    /// A name in both places must have one value, so that a server may read either.
    private static func amazonFields(
        _ request: SignedRequest, _ query: QueryParameters
    ) throws(SignatureError) -> [(name: String, value: String)] {
        var fields: [String: String] = [:]
        for header in request.headers {
            let name = header.name.asciiLowercased
            guard name.utf8.starts(with: "x-amz-".utf8) else { continue }
            fields[name] = (fields[name].map { "\($0)," } ?? "") + header.value.trimmingBlanks
        }
        var parameters: [String: String] = [:]
        for parameter in query.parameters {
            let name = String(decoding: parameter.name, as: UTF8.self).asciiLowercased
            guard name.utf8.starts(with: "x-amz-".utf8) else { continue }
            guard let text = String(validating: parameter.value ?? [], as: UTF8.self) else { throw .malformedQuery }
            guard parameters.updateValue(try line(text), forKey: try line(name)) == nil else {
                throw .duplicatePart(.signature)
            }
        }
        for (name, value) in parameters {
            if let header = fields[name], !header.hasBytes(of: value) { throw .signatureMismatch }
            fields[name] = value
        }
        return fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { ($0.key, $0.value) }
    }

    /// `/bucket/key`, with the key as in the path. Where there is a bucket alone, clients sign `/bucket/`; boto3 sends
    /// `/bucket` then.
    private func resource(_ bucketOfHost: String?) -> String {
        if let bucketOfHost { return "/\(bucketOfHost)" + (request.path.isEmpty ? "/" : request.path) }
        let hasKey = request.path.utf8.dropFirst().contains(UInt8(ascii: "/"))
        return hasKey || request.path.hasBytes(of: "/") ? request.path : request.path + "/"
    }

    /// The sub-resources of the query, sorted by name, their values decoded.
    private func subresources() throws(SignatureError) -> String {
        var found: [(name: String, text: String)] = []
        for parameter in query.parameters {
            guard let name = String(validating: parameter.name, as: UTF8.self), Self.signedParameters.contains(name)
            else { continue }
            guard let bytes = parameter.value else {
                found.append((name, name))
                continue
            }
            guard let value = String(validating: bytes, as: UTF8.self) else { throw .malformedQuery }
            found.append((name, "\(name)=\(try Self.line(value))"))
        }
        guard !found.isEmpty else { return "" }
        return "?" + found.sorted { $0.name < $1.name }.map(\.text).joined(separator: "&")
    }

    /// A value without control characters: a line feed in it would make it two lines of the string to sign.
    private static func line(_ value: String) throws(SignatureError) -> String {
        guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { throw .malformedQuery }
        return value
    }

    /// The parameters that name a sub-resource or override a header of the response.
    private static let signedParameters: Set<String> = [
        "accelerate", "acl", "analytics", "cors", "defaultObjectAcl", "delete", "inventory", "lifecycle", "location",
        "logging", "metrics", "notification", "object-lock", "partNumber", "policy", "replication", "requestPayment",
        "response-cache-control", "response-content-disposition", "response-content-encoding",
        "response-content-language", "response-content-type", "response-expires", "restore", "select", "select-type",
        "storageClass", "tagging", "torrent", "uploadId", "uploads", "versionId", "versioning", "versions", "website",
    ]

    /// The 20 bytes of an HMAC-SHA1 in base64 (RFC 4648 §4), in the one way that an encoder writes them.
    private static func bytes(ofSignature text: String) -> [UInt8]? {
        guard let bytes = Base64.decode(text.utf8), bytes.count == 20, Base64.encode(bytes) == text else { return nil }
        return bytes
    }
}
