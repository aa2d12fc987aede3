import Testing

@testable import AWSSignature

@Suite("Signing keys that are kept")
struct SigningKeyCacheTests {
    private func verify(
        _ cache: SigningKeyCache, _ request: SignedRequest, secret: String = Example.secret, now: Int64 = Example.now
    ) -> SignatureError? {
        do throws(SignatureError) {
            _ = try cache.verify(
                SignatureV4(of: request), secret: secret, now: now, expectedService: "s3", expectedRegion: nil)
            return nil
        } catch { return error }
    }

    @Test("a kept key verifies what a new one does, for its secret and scope alone")
    func keys() throws {
        let cache = SigningKeyCache()
        let (header, presigned) = (try Example.signedObject(), try Example.presigned())
        #expect(verify(cache, header) == nil && cache.count == 1)
        #expect(verify(cache, presigned) == nil && cache.count == 1)
        #expect(verify(cache, header, secret: "another") == .signatureMismatch)
        #expect(verify(cache, presigned, now: Example.now + 3_001) == .expired)
        var altered = presigned
        altered.path += "x"
        #expect(verify(cache, altered) == .signatureMismatch)
        #expect(cache.count == 1)
    }

    @Test("keys of signatures that are not valid are not kept, and the number of kept keys is bounded")
    func bound() throws {
        let cache = SigningKeyCache(countMax: 2)
        for number in 0..<5 {
            #expect(verify(cache, try Example.signedObject(), secret: "s\(number)") == .signatureMismatch)
        }
        #expect(cache.count == 0)
        for region in ["a", "b", "c"] {
            var request = Example.getObject
            let signer = RequestSigner(
                accessKeyID: Example.accessKeyID, secret: Example.secret, region: region, service: "s3")
            try signer.sign(&request, now: Example.now)
            #expect(verify(cache, request) == nil && (1...2).contains(cache.count))
        }
    }
}
