import Testing

@testable import AWSSignature

@Suite("Malformed signatures")
struct FormTests {
    private static let signature = String(repeating: "a", count: 64)
    private static let credential = "AKID/20260102/us-east-1/s3/aws4_request"
    private static let good =
        "AWS4-HMAC-SHA256 Credential=\(credential), SignedHeaders=host;x-amz-date, Signature=\(signature)"

    private func error(_ authorization: String?, _ headers: [(String, String)] = [], query: String = "")
        -> SignatureError?
    {
        var request = SignedRequest(
            method: "GET", path: "/", query: query,
            headers: [("Host", "h"), ("X-Amz-Date", "20260102T030405Z")] + headers, bodyHash: Example.emptyHash)
        if let authorization { request.headers.append(("Authorization", authorization)) }
        do {
            _ = try SignatureV4(of: request)
            return nil
        } catch { return error }
    }

    @Test("the Authorization header is read with any blanks and in any order")
    func accepted() {
        let parts = ["Credential=\(Self.credential)", "SignedHeaders=host;x-amz-date", "Signature=\(Self.signature)"]
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            for separator in [",", ", ", " ,\t "] {
                let text = order.map { parts[$0] }.joined(separator: separator)
                #expect(error("AWS4-HMAC-SHA256 \(text)") == nil)
                #expect(error("  AWS4-HMAC-SHA256 \t \(text) ") == nil)
            }
        }
    }

    @Test("each malformed Authorization header has its error")
    func authorization() {
        let changes: [(String, String, SignatureError)] = [
            ("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256", .unsupportedAlgorithm),
            ("AWS4-HMAC-SHA256", "aws4-hmac-sha256", .unsupportedAlgorithm),
            ("AWS4-HMAC-SHA256 ", "AWS4-HMAC-SHA256", .unsupportedAlgorithm),
            ("Credential=\(Self.credential), ", "", .missingPart(.credential)),
            ("SignedHeaders=host;x-amz-date, ", "", .missingPart(.signedHeaders)),
            (", Signature=\(Self.signature)", "", .missingPart(.signature)),
            (", SignedHeaders", " SignedHeaders", .missingPart(.signedHeaders)),
            (", SignedHeaders", ", , SignedHeaders", .malformedAuthorization),
            (", SignedHeaders", ",, SignedHeaders", .malformedAuthorization),
            (", SignedHeaders", ", x=y, SignedHeaders", .malformedAuthorization),
            ("Credential=", "credential=", .malformedAuthorization),
            (", Signature", ", Signature=a, Signature", .duplicatePart(.signature)),
            (", Signature", ", SignedHeaders=host, Signature", .duplicatePart(.signedHeaders)),
            ("Credential=", "Credential=a, Credential=", .duplicatePart(.credential)),
            (Self.credential, "", .malformedPart(.credential)),
            (Self.credential, "AKID", .malformedPart(.credential)),
            ("AKID/", "/", .malformedPart(.credential)), ("AKID/", "AK/ID/", .malformedPart(.credential)),
            ("AKID/", "AK ID/", .malformedPart(.credential)), ("AKID/", "AKÏD/", .malformedPart(.credential)),
            ("AKID/", String(repeating: "A", count: 129) + "/", .malformedPart(.credential)),
            ("20260102/", "20260132/", .malformedPart(.credential)),
            ("20260102/", "2026-01-02/", .malformedPart(.credential)),
            ("us-east-1", "", .malformedPart(.credential)), ("/s3/", "//", .malformedPart(.credential)),
            ("us-east-1", String(repeating: "r", count: 65), .malformedPart(.credential)),
            ("/s3/", "/" + String(repeating: "s", count: 65) + "/", .malformedPart(.credential)),
            ("aws4_request", "aws4_requests", .malformedPart(.credential)),
            ("aws4_request", "aws4_request/x", .malformedPart(.credential)),
            ("host;x-amz-date", "", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", ";", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", "host;;x-amz-date", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", "x-amz-date;host", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", "host;host;x-amz-date", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", "Host;X-Amz-Date", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", "host; x-amz-date", .malformedPart(.signedHeaders)),
            ("host;x-amz-date", "x-amz-date", .hostNotSigned),
            ("host;x-amz-date", "host", .headersNotSigned(["x-amz-date"])),
            ("host;x-amz-date", "content-type;host;x-amz-date", .signedHeaderMissing("content-type")),
            (Self.signature, "", .malformedPart(.signature)),
            (Self.signature, String(repeating: "a", count: 63), .malformedPart(.signature)),
            (Self.signature, String(repeating: "a", count: 65), .malformedPart(.signature)),
            (Self.signature, String(repeating: "A", count: 64), .malformedPart(.signature)),
            (Self.signature, String(repeating: "g", count: 64), .malformedPart(.signature)),
        ]
        #expect(error(Self.good) == nil)
        for (part, other, expected) in changes {
            let text = Self.good.replacing(part, with: other)
            #expect(text != Self.good)
            #expect(error(text) == expected, "\(text)")
        }
        for text in ["", " ", "Bearer abc", "Basic YTpi", "AWS AKID:c2ln"] {
            #expect(error(text) == .unsupportedAlgorithm, "\(text)")
        }
        for text in ["AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 "] { #expect(error(text) == .missingPart(.credential)) }
        for text in ["AWS4-HMAC-SHA256 Credential", "AWS4-HMAC-SHA256 ,"] {
            #expect(error(text) == .malformedAuthorization, "\(text)")
        }
        #expect(error(nil) == .missing)
    }

    @Test("headers that must occur once are refused when they are repeated, malformed or absent")
    func headers() {
        #expect(error(Self.good, [("authorization", Self.good)]) == .repeatedHeader("authorization"))
        #expect(error(Self.good, [("x-amz-date", "20260102T030405Z")]) == .repeatedHeader("x-amz-date"))
        #expect(error(Self.good, [("HOST", "h")]) == .repeatedHeader("host"))
        let token = Self.good.replacing("x-amz-date", with: "x-amz-date;x-amz-security-token")
        #expect(error(token, [("x-amz-security-token", "a")]) == nil)
        #expect(error(token, [("x-amz-security-token", " ")]) == .malformedPart(.securityToken))
        #expect(error(token, [("x-amz-security-token", "a b")]) == .malformedPart(.securityToken))
        #expect(
            error(token, [("x-amz-security-token", "a"), ("X-Amz-Security-Token", "b")])
                == .repeatedHeader("x-amz-security-token"))
        let request = SignedRequest(
            method: "GET", path: "/", headers: [("Host", "h"), ("Authorization", Self.good)],
            bodyHash: Example.emptyHash)
        #expect(throws: SignatureError.missingPart(.date)) { try SignatureV4(of: request) }
        #expect(throws: SignatureError.malformedPart(.date)) {
            try SignatureV4(of: request.with("X-Amz-Date", "2026-01-02T03:04:05Z"))
        }
        #expect(throws: SignatureError.malformedPart(.date)) { try SignatureV4(of: request.with("Date", "today")) }
        let noHost = request.with("X-Amz-Date", "20260102T030405Z").with("Host", nil)
        #expect(throws: SignatureError.signedHeaderMissing("host")) { try SignatureV4(of: noHost) }
        #expect(error(Self.good, query: "X-Amz-Signature=a") == .multipleMechanisms)
        #expect(error("Bearer abc", query: "X-Amz-Algorithm=a") == .multipleMechanisms)
    }

    @Test("each malformed presigned URL has its error")
    func query() throws {
        let good = try Example.presigned()
        let digits = try SignatureV4(of: good).claim.signature
        let changes: [(String, String, SignatureError)] = [
            ("X-Amz-Algorithm=AWS4-HMAC-SHA256&", "", .missingPart(.algorithm)),
            ("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA512", .unsupportedAlgorithm),
            ("X-Amz-Credential=", "x=", .missingPart(.credential)),
            ("%2Fs3%2F", "%2F", .malformedPart(.credential)),
            ("X-Amz-Date=", "x=", .missingPart(.date)), ("030405Z", "030405", .malformedPart(.date)),
            ("X-Amz-Expires=", "x=", .missingPart(.expires)),
            ("Expires=3000", "Expires=0", .malformedPart(.expires)),
            ("Expires=3000", "Expires=", .malformedPart(.expires)),
            ("Expires=3000", "Expires=-1", .malformedPart(.expires)),
            ("Expires=3000", "Expires=+1", .malformedPart(.expires)),
            ("Expires=3000", "Expires=1e3", .malformedPart(.expires)),
            ("Expires=3000", "Expires=604801", .malformedPart(.expires)),
            ("Expires=3000", "Expires=99999999999999999999", .malformedPart(.expires)),
            ("X-Amz-SignedHeaders=host", "x=host", .missingPart(.signedHeaders)),
            ("X-Amz-SignedHeaders=host", "X-Amz-SignedHeaders=range", .hostNotSigned),
            ("X-Amz-SignedHeaders=host", "X-Amz-SignedHeaders=host%3Brange", .signedHeaderMissing("range")),
            ("X-Amz-Signature=", "x=", .missingPart(.signature)), (digits, "00", .malformedPart(.signature)),
            ("X-Amz-Security-Token=tok", "X-Amz-Security-Token=%20tok%20tok", .malformedPart(.securityToken)),
            ("X-Amz-Security-Token=tok", "X-Amz-Security-Token=%FF", .malformedPart(.securityToken)),
            ("X-Amz-Date=", "X-Amz-Date=20260102T030405Z&X-Amz-Date=", .duplicatePart(.date)),
            ("X-Amz-Expires=", "X%2DAmz-Expires=1&X-Amz-Expires=", .duplicatePart(.expires)),
            ("X-Amz-Expires=", "X-Amz-Signature=1&X-Amz-Expires=", .duplicatePart(.signature)),
            ("X-Amz-Expires=", "%=1&X-Amz-Expires=", .malformedQuery),
            ("X-Amz-Expires=", "a=%2&X-Amz-Expires=", .malformedQuery),
            ("X-Amz-Expires=", "a=%GG&X-Amz-Expires=", .malformedQuery),
        ]
        for (part, other, expected) in changes {
            let request = good.replacing(part, by: other)
            #expect(request.query != good.query, "\(part)")
            #expect(throws: expected, "\(request.query)") { try SignatureV4(of: request) }
        }
        var path = good
        path.path += "%zz"
        #expect(Example.error(of: path) == .malformedPath)
    }

    @Test("the bounds hold, and what is at them is read")
    func bounds() throws {
        let padding = SignatureLimits.authorizationBytesMax - Self.good.utf8.count
        #expect(error(Self.good + String(repeating: " ", count: padding)) == nil)
        #expect(error(Self.good + String(repeating: " ", count: padding + 1)) == .authorizationTooLong)
        let names = (10..<72).map { "a\($0)" }
        let headers = (names + ["a72"]).map { ($0, "") }
        let list = names.joined(separator: ";")
        #expect(error(Self.good.replacing("=host;", with: "=\(list);host;"), headers) == nil)
        #expect(error(Self.good.replacing("=host;", with: "=\(list);a72;host;"), headers) == .tooManySignedHeaders)
        let parameters = Array(repeating: "a=b", count: SignatureLimits.queryParametersMax)
        #expect(error(Self.good, query: parameters.joined(separator: "&")) == nil)
        #expect(error(Self.good, query: (parameters + ["c"]).joined(separator: "&")) == .tooManyQueryParameters)
    }

    @Test("a signer refuses what no server would verify")
    func signer() {
        var request = SignedRequest(method: "GET", path: "/", headers: [("Host", "h")])
        let signer = Example.signer(service: "cognito-idp")
        #expect(throws: SignatureError.missingPart(.payloadHash)) { try signer.sign(&request, now: Example.now) }
        request = request.with("Host", nil)
        request.bodyHash = Example.emptyHash
        #expect(throws: SignatureError.hostNotSigned) { try signer.sign(&request, now: Example.now) }
        for seconds: Int64 in [-1, 0, 604_801] {
            #expect(throws: SignatureError.malformedPart(.expires)) {
                try signer.presign(&request, now: Example.now, expiresSeconds: seconds)
            }
        }
    }
}
