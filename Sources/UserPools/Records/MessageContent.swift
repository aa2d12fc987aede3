import JSON
import Tables

/// What a message says, with the code or temporary password in it: a secret, stored only sealed.
struct MessageContent: Sendable, Hashable {
    var subject: String
    var text: String
    /// The code or temporary password.
    var code: String?
}

extension MessageContent {
    /// Seals it for the message with this id.
    func sealed(by sealer: Sealer, for id: String) -> String {
        var document = RecordDocument()
        document.set("subject", subject)
        document.set("text", text)
        document.set("code", code)
        return sealer.seal(Array(document.text.utf8), context: Self.context(id))
    }

    /// Opens what was sealed; nil if the key is not among those of the sealer.
    init?(sealed: String, by sealer: Sealer, for id: String) {
        guard let bytes = sealer.open(sealed, context: Self.context(id)),
            let document = RecordDocument(String(decoding: bytes, as: UTF8.self))
        else { return nil }
        self.init(
            subject: document.string("subject") ?? "", text: document.string("text") ?? "",
            code: document.string("code"))
    }

    private static func context(_ id: String) -> String { "outbox:\(id)" }
}
