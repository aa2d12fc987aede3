#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A function of the project: a program that decides when it is asked.
struct Function: Sendable, Hashable {
    /// Amplify's name of it.
    let name: String
    /// Where it answers.
    let url: String

    /// Whether the URL is one of http or https that can be called. It names no user, who would not be sent.
    var isCallable: Bool {
        guard let parts = URLComponents(string: url), let scheme = parts.scheme, let host = parts.host else {
            return false
        }
        return ["http", "https"].contains(scheme.lowercased()) && !host.isEmpty && parts.user == nil
            && parts.port.map((1...65_535).contains) ?? true
    }

    /// A URL without what may be secret in it: its user and password, and the values of its query.
    static func shown(_ url: String) -> String {
        guard let start = url.firstRange(of: "://")?.upperBound else { return url }
        let rest = url[start...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...].prefix { !"?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { "…\(authority[$0...])" } ?? String(authority)
        return url[..<start] + host + path + (path.endIndex < url.endIndex ? "\(url[path.endIndex])…" : "")
    }
}
