/// The answer to a `HostedRequest`.
public struct HostedResponse: Sendable {
    /// The status.
    public var status: Int
    /// The type of the content; nil of a redirect.
    public var contentType: String?
    /// Header lines.
    public var fields: [(name: String, value: String)]
    /// The body.
    public var body: [UInt8]

    static func redirect(_ url: String, _ fields: [(name: String, value: String)] = []) -> HostedResponse {
        HostedResponse(
            status: 302, contentType: nil,
            fields: fields + [("Location", url), ("Cache-Control", "no-store"), ("Referrer-Policy", "no-referrer")],
            body: [])
    }

    static func json(_ status: Int, _ text: String, _ fields: [(name: String, value: String)] = []) -> HostedResponse {
        HostedResponse(
            status: status, contentType: "application/json;charset=UTF-8",
            fields: fields + [("Cache-Control", "no-store"), ("Pragma", "no-cache")], body: Array(text.utf8))
    }
}
