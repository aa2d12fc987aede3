import Encodings
import Foundation
import Testing

@testable import UserPools

/// A browser without a network: it keeps cookies, follows redirects to the server's own pages, and fills in forms.
final class TestBrowser {
    static let base = "http://127.0.0.1:20002"

    let pools: UserPools
    /// What the browser asks; the pools' own redirects lead to the same host.
    var base = TestBrowser.base
    var cookies: [String: String] = [:]
    /// The page that is shown.
    var html = ""
    var status = 0
    /// Where the last redirect left the server's pages for.
    var left: String?
    /// The addresses that were asked for.
    var visited: [String] = []

    init(_ pools: UserPools) { self.pools = pools }

    /// Opens an address of the server, or its path and query.
    func open(_ address: String) async throws { try await send("GET", address, [:]) }

    /// Sends the page's form with these fields filled in.
    func submit(_ fields: [String: String]) async throws {
        let action = try #require(attribute("action", of: "<form"), "\(html)")
        var form = fields
        for input in html.components(separatedBy: "<input ").dropFirst()
        where input.prefix(while: { $0 != ">" }).contains("hidden") {
            let name = try #require(attribute("name", of: " name", in: input))
            form[name] = form[name] ?? attribute("value", of: " value", in: input)
        }
        try await send("POST", action, form)
    }

    /// Opens the link with this text.
    func follow(_ label: String) async throws {
        let end = try #require(html.range(of: ">\(label)</a>"), "\(html)")
        let start = try #require(html[..<end.lowerBound].range(of: "<a", options: .backwards))
        let link = try #require(attribute("href", of: "<a", in: String(html[start.lowerBound..<end.lowerBound]) + ">"))
        try await open(link)
    }

    func send(_ method: String, _ address: String, _ form: [String: String]) async throws {
        var (method, address, form) = (method, address, form)
        left = nil
        for _ in 0..<10 {
            let parts = address.replacingOccurrences(of: Self.base, with: "").split(separator: "?", maxSplits: 1)
            let query = parts.count > 1 ? String(parts[1]) : ""
            visited.append(address)
            let response = await pools.respond(
                to: HostedRequest(
                    method: method, path: String(parts[0]), query: query, parameters: Self.parameters(query),
                    form: form, cookies: cookies, authorization: nil, isSecure: false,
                    caller: Caller(address: "127.0.0.1", accessKeyID: nil, requestID: "r", baseURL: base)))
            for (name, value) in response.fields where name == "Set-Cookie" {
                let pair = value.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1)
                cookies[String(pair[0])] = value.contains("Max-Age=0") ? nil : pair.count > 1 ? String(pair[1]) : nil
            }
            (status, html) = (response.status, String(decoding: response.body, as: UTF8.self))
            guard let location = response.fields.first(where: { $0.name == "Location" })?.value else { return }
            guard location.hasPrefix("/") || location.hasPrefix(Self.base) else {
                left = location
                return
            }
            (method, address, form) = ("GET", location, [:])
        }
        Issue.record("too many redirects: \(visited)")
    }

    /// The token in the page's form.
    var formToken: String? {
        html.range(of: "name=\"_csrf\" value=\"").map { String(html[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    static func parameters(_ query: String) -> [String: String] {
        query.split(separator: "&").reduce(into: [:]) { parameters, pair in
            let parts = pair.split(separator: "=", maxSplits: 1).map(String.init)
            parameters[parts[0]] = parts.count > 1 ? Percent.decode(parts[1]) : ""
        }
    }

    /// The value of an attribute of the first tag that begins so.
    private func attribute(_ name: String, of tag: String, in text: String? = nil) -> String? {
        let text = text ?? html
        guard let start = text.range(of: tag), let end = text[start.lowerBound...].firstIndex(of: ">") else {
            return nil
        }
        let part = text[start.lowerBound..<end]
        guard let from = part.range(of: " \(name)=\"") else { return nil }
        return part[from.upperBound...].prefix { $0 != "\"" }.replacingOccurrences(of: "&amp;", with: "&")
            .replacingOccurrences(of: "&quot;", with: "\"").replacingOccurrences(of: "&#39;", with: "'")
    }
}
