import Foundation
import Testing

@testable import AWSSignature

@Suite("Requests signed by botocore")
struct BotocoreTests {
    /// `Fixtures/botocore-requests.json`, which `botocore_requests.py` beside it writes.
    struct Fixture: Decodable {
        struct Request: Decodable {
            var name: String
            var version: Int
            var service: String
            var method: String
            var path: String
            var query: String
            var headers: [[String]]
            var bodyHash: String
            var sessionToken: String?
            var bucketOfHost: String?

            var signed: SignedRequest {
                SignedRequest(
                    method: method, path: path, query: query, headers: headers.map { ($0[0], $0[1]) },
                    bodyHash: bodyHash)
            }
        }

        var now: Int64
        var accessKeyID: String
        var secret: String
        var requests: [Request]
    }

    let fixture: Fixture

    init() throws {
        let url = try #require(Bundle.module.resourceURL).appending(path: "Fixtures/botocore-requests.json")
        fixture = try JSONDecoder().decode(Fixture.self, from: Data(contentsOf: url))
    }

    @Test("every request of Version 4 is verified, and refused with another secret")
    func version4() throws {
        let requests = fixture.requests.filter { $0.version == 4 }
        #expect(requests.count >= 75)
        for request in requests {
            let error = Example.error(
                of: request.signed, secret: fixture.secret, now: fixture.now, service: request.service)
            #expect(error == nil, "\(request.name): \(request.path)?\(request.query)")
            let other = Example.error(
                of: request.signed, secret: fixture.secret + "x", now: fixture.now, service: request.service)
            #expect(other == .signatureMismatch, "\(request.name)")
            let claim = try SignatureV4(of: request.signed).claim
            #expect(claim.accessKeyID == fixture.accessKeyID)
            #expect(claim.sessionToken == request.sessionToken)
        }
    }

    @Test("every request of Version 2 is verified, and refused when it is altered")
    func version2() throws {
        let requests = fixture.requests.filter { $0.version == 2 }
        #expect(requests.count >= 16)
        for request in requests {
            let signature = try SignatureV2(of: request.signed)
            #expect(signature.accessKeyID == fixture.accessKeyID)
            #expect(signature.sessionToken == request.sessionToken)
            #expect(signature.expiresAt == fixture.now + 3_000)
            #expect(throws: Never.self, "\(request.name)") {
                try signature.verify(
                    secret: fixture.secret, now: fixture.now + 3_000, bucketOfHost: request.bucketOfHost)
            }
            #expect(throws: SignatureError.expired) {
                try signature.verify(
                    secret: fixture.secret, now: fixture.now + 3_001, bucketOfHost: request.bucketOfHost)
            }
            #expect(throws: SignatureError.signatureMismatch) {
                try signature.verify(
                    secret: fixture.secret + "x", now: fixture.now, bucketOfHost: request.bucketOfHost)
            }
            var altered = [request.signed, request.signed, request.signed, request.signed]
            altered[0].method = "DELETE"
            altered[1].path += "x"
            altered[2].query += "&versionId=1"
            altered[3].query += "&x-amz-copy-source=other"
            for altered in altered {
                #expect(throws: SignatureError.signatureMismatch, "\(request.name)") {
                    try SignatureV2(of: altered).verify(
                        secret: fixture.secret, now: fixture.now, bucketOfHost: request.bucketOfHost)
                }
            }
        }
    }

    @Test("the header of a Version 2 request is signed as its parameter is, and must not differ from it")
    func version2Headers() throws {
        let request = try #require(
            fixture.requests.first { $0.name == "version 2 path put_object" && $0.sessionToken == nil })
        let sent = request.signed.with("Content-Type", "image/jpeg").with("x-amz-meta-note", "two words")
        try SignatureV2(of: sent).verify(secret: fixture.secret, now: fixture.now)
        for altered in [
            sent.with("Content-Type", "text/html"), sent.with("X-Amz-Meta-Note", "other"),
            sent.with("x-amz-acl", "public-read"),
        ] {
            #expect(throws: SignatureError.signatureMismatch) {
                try SignatureV2(of: altered).verify(secret: fixture.secret, now: fixture.now)
            }
        }
    }

    @Test("a request of Version 2 that is not in its form is refused")
    func version2Form() {
        let good = "AWSAccessKeyId=AKID&Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D&Expires=1767326045"
        let cases: [(String, SignatureError)] = [
            ("", .missing), ("a=b", .missing),
            ("Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D&Expires=1", .missingPart(.credential)),
            ("AWSAccessKeyId=AKID&Expires=1", .missingPart(.signature)),
            ("AWSAccessKeyId=AKID&Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D", .missingPart(.expires)),
            (good + "&Expires=1", .duplicatePart(.expires)), (good + "&Signature=a", .duplicatePart(.signature)),
            (good + "&AWSAccessKeyId=a", .duplicatePart(.credential)),
            (good + "&X-Amz-Signature=a", .multipleMechanisms),
            (good.replacing("=AKID", with: "="), .malformedPart(.credential)),
            (good.replacing("AKID", with: "A%20B"), .malformedPart(.credential)),
            (good.replacing("A%3D", with: "B%3D"), .malformedPart(.signature)),
            (good.replacing("%3D", with: ""), .malformedPart(.signature)),
            (good.replacing("Signature=A", with: "Signature=*"), .malformedPart(.signature)),
            (good.replacing("1767326045", with: "-1"), .malformedPart(.expires)),
            (good.replacing("1767326045", with: "1.5"), .malformedPart(.expires)),
            (good.replacing("1767326045", with: "9999999999999"), .malformedPart(.expires)),
            (good + "&x-amz-meta-a=b%0Ac", .malformedQuery),
        ]
        for (query, expected) in cases {
            let request = SignedRequest(method: "GET", path: "/b/k", query: query, headers: [("Host", "h")])
            #expect(throws: expected, "\(query)") { try SignatureV2(of: request) }
        }
        let both = SignedRequest(
            method: "GET", path: "/b/k", query: good, headers: [("Host", "h"), ("Authorization", "Basic YTpi")])
        #expect(throws: SignatureError.multipleMechanisms) { try SignatureV2(of: both) }
    }
}
