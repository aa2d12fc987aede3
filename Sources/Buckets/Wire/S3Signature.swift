public import AWSSignature

/// The signature of a request to buckets: version 4 in the headers or the query, or version 2 in the query. It is parsed
/// first and verified when the secret of the access key is known.
public struct S3Signature: Sendable {
    private enum Version: Sendable {
        case v4(SignatureV4)
        case v2(SignatureV2)
    }

    private let version: Version
    private let bucketOfHost: String?

    /// Parses the signature of a request; nil if it is not signed.
    ///
    /// - Throws: S3's error for a malformed signature or one of an unsupported version.
    public init?(_ request: S3Request) throws(S3Error) {
        if request.header("authorization")?.hasBytePrefix("AWS ") ?? false {
            throw .notImplemented("signatures of version 2 in the Authorization header")
        }
        bucketOfHost = request.bucketOfHost
        let signed = SignedRequest(
            method: request.method, path: request.path, query: request.query, headers: request.headers)
        do throws(SignatureError) {
            version = .v4(try SignatureV4(of: signed))
            return
        } catch {
            guard error == .missing else {
                throw S3Error(error, in: request.header("authorization") == nil ? .query : .header)
            }
        }
        do throws(SignatureError) {
            version = .v2(try SignatureV2(of: signed))
        } catch {
            guard error == .missing else { throw S3Error(error, in: .queryOfVersion2) }
            return nil
        }
    }

    /// The access key id.
    public var accessKeyID: String {
        switch version {
        case .v4(let signature): signature.claim.accessKeyID
        case .v2(let signature): signature.accessKeyID
        }
    }

    /// The session token of temporary credentials. The caller must check that it belongs to the key.
    public var sessionToken: String? {
        switch version {
        case .v4(let signature): signature.claim.sessionToken
        case .v2(let signature): signature.sessionToken
        }
    }

    /// When a presigned URL is valid, in seconds since 1970; nil unless its signature is of version 4 and covers no header but
    /// `Host`.
    public var presignedSeconds: ClosedRange<Int64>? {
        guard case .v4(let signature) = version, let lifetime = signature.claim.expiresSeconds,
            signature.claim.signedHeaders == ["host"]
        else { return nil }
        let signed = signature.claim.date.secondsSince1970
        return signed - SignatureLimits.skewSecondsMax...signed + lifetime
    }

    /// Verifies the signature.
    ///
    /// - Parameters:
    ///   - secret: The secret of `accessKeyID`.
    ///   - now: Seconds since 1970.
    ///   - region: The only region that is accepted; nil for any.
    ///   - keys: The signing keys of earlier requests.
    /// - Returns: The encoding of the body.
    public func verify(
        secret: String, now: Int64, region: String? = nil, keys: SigningKeyCache
    ) throws(S3Error) -> S3Payload {
        switch version {
        case .v4(let signature): try Self.verify(signature, secret, now, region, keys)
        case .v2(let signature): try Self.verify(signature, secret, now, bucketOfHost)
        }
    }

    private static func verify(
        _ signature: SignatureV4, _ secret: String, _ now: Int64, _ region: String?, _ keys: SigningKeyCache
    ) throws(S3Error) -> S3Payload {
        let claim = signature.claim
        let word: String
        let key: SigningKey
        do throws(SignatureError) {
            key = try keys.verify(
                signature, secret: secret, now: now, expectedService: "s3", expectedRegion: region)
            word = try signature.payloadHash()
        } catch {
            var answer = S3Error(error, in: claim.isPresigned ? .query : .header)
            switch error {
            case .signatureMismatch:
                // Developers can compare the string to sign and the canonical request with their own.
                answer = answer.with("AWSAccessKeyId", claim.accessKeyID)
                    .with("StringToSign", (try? signature.stringToSign()) ?? "")
                    .with("SignatureProvided", claim.signature)
                    .with("CanonicalRequest", (try? signature.canonicalRequest()) ?? "")
            case .wrongRegion:
                answer.message += "; expecting '\(region ?? "")'"
                answer = answer.with("Region", region ?? "")
            case .skewed:
                answer = answer.with("RequestTime", claim.date.text).with("ServerTime", text(now))
                    .with("MaxAllowedSkewMilliseconds", String(SignatureLimits.skewSecondsMax * 1_000))
            case .expired:
                let expires = claim.expiresSeconds ?? 0
                answer = answer.with("X-Amz-Expires", String(expires))
                    .with("Expires", text(claim.date.secondsSince1970 + expires)).with("ServerTime", text(now))
            default: break
            }
            throw answer
        }
        let chunks = claim.isPresigned ? nil : ChunkSignature(key: key, date: claim.date, seed: claim.signature)
        return try S3Payload(word, signature: chunks)
    }

    private static func verify(
        _ signature: SignatureV2, _ secret: String, _ now: Int64, _ bucketOfHost: String?
    ) throws(S3Error) -> S3Payload {
        do throws(SignatureError) {
            try signature.verify(secret: secret, now: now, bucketOfHost: bucketOfHost)
        } catch {
            var answer = S3Error(error, in: .queryOfVersion2)
            if error == .signatureMismatch {
                answer = answer.with("AWSAccessKeyId", signature.accessKeyID)
                    .with("StringToSign", (try? signature.stringToSign(bucketOfHost: bucketOfHost)) ?? "")
            } else if error == .expired {
                answer = answer.with("Expires", text(signature.expiresAt)).with("ServerTime", text(now))
            }
            throw answer
        }
        let word = signature.request.headers.first { $0.name.isEqual(lowercased: "x-amz-content-sha256") }?.value
        return try S3Payload(word, signature: nil)
    }

    /// `2026-01-02T03:04:05Z`.
    private static func text(_ seconds: Int64) -> String {
        // A signature may have a time whose year cannot be formatted.
        guard -62_167_219_200...253_402_300_799 ~= seconds else { return String(seconds) }
        let date = Array(SigningDate(secondsSince1970: seconds).text)
        return "\(String(date[0..<4]))-\(String(date[4..<6]))-\(String(date[6..<8]))T"
            + "\(String(date[9..<11])):\(String(date[11..<13])):\(String(date[13..<15]))Z"
    }
}
