import Testing

@testable import AWSSignature

@Suite("Dates, skew and expiry")
struct TimeTests {
    @Test("a signed request is valid 15 minutes before and after its date")
    func skew() throws {
        let request = try Example.signedObject()
        for seconds: Int64 in [-900, -899, 0, 899, 900] {
            #expect(Example.error(of: request, now: Example.now + seconds) == nil, "\(seconds)")
        }
        for seconds: Int64 in [-1_000_000, -901, 901, 1_000_000] {
            #expect(Example.error(of: request, now: Example.now + seconds) == .skewed, "\(seconds)")
        }
        #expect(Example.error(of: request, now: .max) == .skewed)
        #expect(Example.error(of: request, now: .min) == .skewed)
    }

    @Test("a presigned URL is valid from 15 minutes before its date until it expires")
    func expiry() throws {
        let request = try Example.presigned()
        for seconds: Int64 in [-900, 0, 901, 3_000] {
            #expect(Example.error(of: request, now: Example.now + seconds) == nil, "\(seconds)")
        }
        #expect(Example.error(of: request, now: Example.now - 901) == .notYetValid)
        #expect(Example.error(of: request, now: Example.now + 3_001) == .expired)
        #expect(Example.error(of: request, now: .max) == .expired)
    }

    @Test("a request may have a Date header in place of X-Amz-Date")
    func dateHeader() throws {
        let signed = try Example.listUsers()
        let dates = [
            "Fri, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 03:04:05 -0000", "Fri, 02 Jan 2026 03:04:05 +0000",
            "20260102T030405Z",
        ]
        for date in dates {
            var request = signed.with("X-Amz-Date", nil).with("Date", date)
            request = request.replacing("x-amz-date;", by: "", in: "Authorization")
            let signature = try SignatureV4(of: request)
            #expect(signature.claim.date.secondsSince1970 == Example.now, "\(date)")
            let key = SigningKey(secret: Example.secret, scope: signature.claim.scope)
            request = request.replacing(
                signature.claim.signature, by: key.signature(of: try signature.stringToSign()), in: "Authorization")
            #expect(Example.error(of: request, service: "cognito-idp") == nil, "\(date)")
        }
    }

    @Test("a date is read as it is written, in every year")
    func dates() {
        let known: [(String, Int64)] = [
            ("19700101T000000Z", 0), ("20260102T030405Z", 1_767_323_045), ("20240229T235959Z", 1_709_251_199),
            ("20000229T000000Z", 951_782_400), ("19691231T235959Z", -1), ("00000101T000000Z", -62_167_219_200),
            ("00000229T000000Z", -62_162_121_600), ("99991231T235959Z", 253_402_300_799),
        ]
        for (text, seconds) in known {
            #expect(SigningDate(basic: text)?.secondsSince1970 == seconds, "\(text)")
            #expect(SigningDate(secondsSince1970: seconds).text == text)
        }
        // A prime number of seconds between each, so that every field takes every value.
        for seconds in stride(from: Int64(-62_167_219_200), through: 253_402_300_799, by: 15_485_863) {
            let date = SigningDate(secondsSince1970: seconds)
            #expect(SigningDate(basic: date.text) == date)
        }
    }

    @Test("what is not a date is refused")
    func malformed() {
        for text in [
            "", "20260102", "20260102T030405", "20260102T030405z", "20260102t030405Z", "20260102T030405ZZ",
            "20261302T030405Z", "20260002T030405Z", "20260100T030405Z", "20260132T030405Z", "20260229T030405Z",
            "21000229T030405Z", "20260102T240405Z", "20260102T036005Z", "20260102T030460Z", "2026-1-2T030405Z",
            "20260102T0304+5Z", "２0260102T030405Z", "-0260102T030405Z",
        ] {
            #expect(SigningDate(basic: text) == nil, "\(text)")
        }
        for text in [
            "", "Fri, 02 Jan 2026 03:04:05", "Fri, 02 Jan 2026 03:04:05 CET", "Fri, 2 Jan 2026 03:04:05 GMT",
            "Xxx, 02 Jan 2026 03:04:05 GMT", "Fri, 02 Xxx 2026 03:04:05 GMT", "Fri, 30 Feb 2026 03:04:05 GMT",
            "Fri; 02 Jan 2026 03:04:05 GMT", "Fri, 02 Jan 2026 25:04:05 GMT", "Friday, 02-Jan-26 03:04:05 GMT",
            "Fri Jan  2 03:04:05 2026     ", "Fri, 02 Jan 2026 03:04:05 GMTX",
        ] {
            #expect(SigningDate(httpDate: text) == nil, "\(text)")
        }
    }
}
