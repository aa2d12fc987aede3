import Encodings
import Testing

@testable import AWSSignature

@Suite("Random requests")
struct RandomTests {
    @Test("what the signer signs is verified, whatever the request", arguments: [UInt64(1), 2, 3])
    func roundTrips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<300 {
            let service = ["s3", "cognito-idp"].randomElement(using: &random) ?? "s3"
            var request = SignedRequest(
                method: "GET", path: "/" + Self.encoded(&random), query: Self.encodedQuery(&random),
                headers: [("Host", "h:1"), ("X-Amz-Meta-A", Self.text(&random)), ("x-amz-meta-a", "b")],
                bodyHash: Example.emptyHash)
            let signer = Example.signer(service: service, token: Bool.random(using: &random) ? Example.token : nil)
            if Bool.random(using: &random) {
                try signer.sign(&request, now: Example.now)
            } else {
                try signer.presign(&request, now: Example.now, expiresSeconds: 60)
            }
            #expect(Example.error(of: request, service: service) == nil, "seed \(seed): \(request)")
        }
    }

    @Test("random bytes are refused and never stop the process", arguments: [UInt64(4), 5])
    func noise(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let good = [try Example.signedObject(), try Example.presigned(), try Example.listUsers()]
        for _ in 0..<4_000 {
            var request = good.randomElement(using: &random) ?? good[0]
            let original = request
            switch Int.random(in: 0..<5, using: &random) {
            case 0: request = request.with("Authorization", Self.noise(&random))
            case 1: request.query = Self.noise(&random)
            case 2: request.path = Self.noise(&random)
            case 3: request.query = Self.mutated(request.query, &random)
            default:
                for index in request.headers.indices where Bool.random(using: &random) {
                    request.headers[index].value = Self.mutated(request.headers[index].value, &random)
                }
            }
            let service = request.path == "/" ? "cognito-idp" : "s3"
            if Example.error(of: request, service: service) == nil {
                // A change may leave the canonical request as it was, or touch a header that is not signed.
                let (before, after) = (try SignatureV4(of: original), try SignatureV4(of: request))
                #expect(try before.canonicalRequest() == after.canonicalRequest(), "seed \(seed): \(request)")
            }
            _ = try? SignatureV2(of: request).verify(secret: Example.secret, now: 0)
            request.query += "&AWSAccessKeyId=a&Expires=9&Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA="
            _ = try? SignatureV2(of: request).verify(secret: Example.secret, now: 0)
        }
    }

    private static func bytes(_ random: inout SeededGenerator, max: Int = 200) -> [UInt8] {
        (0..<Int.random(in: 0...max, using: &random)).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    private static func noise(_ random: inout SeededGenerator) -> String {
        var text = String(decoding: bytes(&random), as: UTF8.self)
        if Bool.random(using: &random) { text = "AWS4-HMAC-SHA256 Credential=" + text }
        if Bool.random(using: &random) { text += "&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20260102T030405Z" }
        return text
    }

    /// A text with up to three bytes replaced, removed or added.
    private static func mutated(_ text: String, _ random: inout SeededGenerator) -> String {
        var bytes = Array(text.utf8)
        for _ in 0..<Int.random(in: 1...3, using: &random) {
            let byte = Array("%&=;,/+ \u{0}aZ09\u{FF}".utf8).randomElement(using: &random) ?? 0
            let index = Int.random(in: 0...bytes.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0 where index < bytes.count: bytes[index] = byte
            case 1 where index < bytes.count: bytes.remove(at: index)
            default: bytes.insert(byte, at: index)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func encoded(_ random: inout SeededGenerator) -> String {
        var text: [UInt8] = []
        Percent.append(bytes(&random, max: 30), keepsSlash: Bool.random(using: &random), to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    private static func encodedQuery(_ random: inout SeededGenerator) -> String {
        (0..<Int.random(in: 0...4, using: &random)).map { _ in
            Bool.random(using: &random) ? "\(encoded(&random))=\(encoded(&random))" : encoded(&random)
        }.joined(separator: "&")
    }

    private static func text(_ random: inout SeededGenerator) -> String {
        String(decoding: bytes(&random, max: 20), as: UTF8.self)
    }
}
