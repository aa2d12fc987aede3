import Foundation
import Testing

@testable import Server
@testable import UserPools

extension UserPoolTests {
    @Suite("Reverse proxies that are trusted")
    struct Proxies {
        private static func configured(_ proxies: [String]) throws -> TrustedProxies {
            guard !proxies.isEmpty else { return TrustedProxies() }
            let texts = try JSONSerialization.data(withJSONObject: ["trustedProxies": proxies])
            let file = FileManager.default.temporaryDirectory.appending(path: "proxies-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            try texts.write(to: file)
            return try Configuration.load(SettingTexts(for: .serve, flags: [.config: [file.path]], environment: [:]))
                .trustedProxies
        }

        /// The forwarded address, and the address that the log has in a refusal.
        @Test(
            "the client is the last address that is no trusted proxy's",
            arguments: [
                (["127.0.0.1"], "203.0.113.7", "203.0.113.7"),
                (["127.0.0.1", "10.0.0.0/8"], "6.6.6.6, 203.0.113.7:4711, 10.1.2.3", "203.0.113.7"),
                (["127.0.0.1"], "203.0.113.7, 10.1.2.3", "10.1.2.3"),
                (["127.0.0.1"], "[2001:db8::1]:80", "2001:db8:0:0"), (["127.0.0.1"], "203.0.113.7, junk", "127.0.0.1"),
                (["10.0.0.0/8"], "203.0.113.7", "127.0.0.1"), ([], "203.0.113.7", "127.0.0.1"),
            ])
        func client(_ proxies: [String], _ header: String, _ network: String) async throws {
            let trusted = try Self.configured(proxies)
            try await AcceptedTokens.Stage.with({ $0.trustedProxies = trusted }) { stage in
                // The failed attempts of the network that counts are used up.
                for _ in 0..<stage.service.pools.limits.failuresPerAddressPerHour {
                    _ = stage.service.pools.rates.take(
                        "failures:\(network)", max: .max, now: stage.service.pools.now)
                }
                let answer = try stage.client.ask(
                    "POST", "/",
                    headers: [
                        "x-amz-target": "AWSCognitoIdentityProviderService.ConfirmForgotPassword",
                        "x-forwarded-for": header, "Host": "localhost",
                    ],
                    body:
                        "{\"ClientId\":\"iosapp\",\"Username\":\"jane\",\"ConfirmationCode\":\"1\",\"Password\":\"Passw0rd!\"}"
                )
                #expect(answer.body.contains("LimitExceededException"), "\(answer.body)")
            }
        }

        @Test(
            "the hosted pages are secure by X-Forwarded-Proto of a trusted proxy alone, and at publicURL",
            arguments: [
                (["127.0.0.1"], nil, true), (["10.0.0.0/8"], nil, false), ([], nil, false),
                ([], "https://localhost", true), ([], "https://api.example.com", false),
            ] as [([String], String?, Bool)])
        func scheme(_ proxies: [String], _ publicURL: String?, _ isSecure: Bool) async throws {
            let trusted = try Self.configured(proxies)
            try await AcceptedTokens.Stage.with({
                ($0.trustedProxies, $0.userPools.publicURL) = (trusted, publicURL)
            }) { stage in
                let answer = try stage.client.ask(
                    "GET", "/login",
                    headers: ["x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https", "Host": "localhost"])
                let cookie = try #require(answer["set-cookie"].first)
                #expect(cookie.contains("; Secure") == isSecure, "\(cookie)")
            }
        }

        @Test("what is no address is reported with its place")
        func wrong() {
            #expect(throws: ServerError.self) { try Self.configured(["proxy.example.com"]) }
        }
    }
}
