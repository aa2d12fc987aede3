/// A server of SMTP.
struct SMTPSettings: Sendable, Hashable {
    /// `smtps://HOST:465`, or `smtp://HOST:587`, which must offer STARTTLS unless it is this machine.
    var url: String
    var username: String?
    var password: String?

    /// Whether clear text is good enough: on this machine alone.
    var allowsClearText: Bool {
        ["smtp://localhost", "smtp://127.0.0.1", "smtp://[::1]"].contains { url == $0 || url.hasPrefix($0 + ":") }
    }
}
