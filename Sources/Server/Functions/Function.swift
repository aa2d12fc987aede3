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
}
