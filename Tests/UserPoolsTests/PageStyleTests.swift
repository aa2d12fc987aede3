import Foundation
import JSON
import Testing

@testable import UserPools

@Suite("The look of hosted pages")
struct PageStyleTests {
    /// The page of a sign-in, as a pool with a style has it.
    private func page(_ style: PoolStyle) async throws -> (html: String, fields: [String: String], style: PageStyle) {
        let stage = try PoolStage()
        let made = try await stage.makePool(client: [
            "AllowedOAuthFlows": ["code"], "AllowedOAuthScopes": ["openid"], "AllowedOAuthFlowsUserPoolClient": true,
            "CallbackURLs": ["myapp://callback/"],
        ])
        var pool = try #require(stage.pools.directory.pool(made.pool))
        pool.style = style
        stage.pools.directory.set(pool)
        let query = "client_id=\(made.client)&response_type=code&redirect_uri=myapp%3A%2F%2Fcallback%2F"
        let response = await stage.pools.respond(
            to: HostedRequest(
                method: "GET", path: "/login", query: query, parameters: TestBrowser.parameters(query), form: [:],
                cookies: [:], authorization: nil, isSecure: false,
                caller: Caller(
                    address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: "http://127.0.0.1:20002")))
        #expect(response.status == 200)
        let fields = Dictionary(response.fields.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        return (String(decoding: response.body, as: UTF8.self), fields, PageStyle(pool))
    }

    @Test("a page has the pool's title, logo and colours, and its policy allows its style sheet and no script")
    func style() async throws {
        var style = PoolStyle()
        (style.title, style.logo) = ("Landmarks <1>", "https://cdn.example.com/logo.png?a&b")
        (style.primaryColor, style.backgroundColor) = ("#123456", "#fedcba")
        let (html, fields, sheet) = try await page(style)
        #expect(html.contains("<title>Sign in – Landmarks &lt;1&gt;</title>") && !html.contains("<1>"))
        #expect(html.contains("<img src=\"https://cdn.example.com/logo.png?a&amp;b\" alt=\"\">"))
        #expect(html.contains("--primary:#123456;--on-primary:#ffffff;--page:#fedcba;"))
        #expect(html.contains("<style>\(sheet.css)</style>"), "the policy has the hash of this text")
        let policy = try #require(fields["Content-Security-Policy"])
        #expect(
            policy
                == "default-src 'none'; style-src 'sha256-\(sheet.hash)'; img-src 'self' https: data:; base-uri 'none'; frame-ancestors 'none'"
        )
        // Plain HTML for a phone and a screen reader: a language, a width, and a label for each field.
        #expect(html.contains("<html lang=\"en\">") && html.contains("content=\"width=device-width,initial-scale=1\""))
        for label in [
            "for=\"field0\">Username</label><input id=\"field0\"",
            "for=\"field1\">Password</label><input id=\"field1\"",
        ] {
            #expect(html.contains(label), "\(label)")
        }
        #expect(!html.contains("<script"))
    }

    @Test("without a logo a page loads no image of another host, and text on a light colour is dark")
    func defaults() async throws {
        var style = PoolStyle()
        style.primaryColor = "#ffee00"
        let (html, fields, _) = try await page(style)
        #expect(html.contains("--primary:#ffee00;--on-primary:#111111;") && !html.contains("<img"))
        #expect(html.contains("<title>Sign in – test</title>"))
        #expect(fields["Content-Security-Policy"]?.contains("img-src data:;") == true)
    }

    @Test(
        "a logo of an address that the policy does not allow is reported",
        arguments: ["http://a/b", "javascript:x", "x.png"])
    func logos(_ logo: String) {
        let reader = SettingsReader(["Logo": .string(logo)])
        #expect(PoolStyle(reader).logo == nil)
        #expect(reader.problems.map(\.path) == [["Logo"]])
        for accepted in ["https://a/b", "/logo.png", "data:image/png;base64,AAAA"] {
            #expect(PoolStyle(SettingsReader(["Logo": .string(accepted)])).logo == accepted)
        }
    }
}
