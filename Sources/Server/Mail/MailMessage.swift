import Encodings

/// A message as mail carries it (RFC 5322, RFC 2045): plain text in UTF-8.
struct MailMessage: Sendable, Hashable {
    /// An address, or a name and an address in angle brackets.
    var from: String
    var to: String
    var subject: String
    var text: String
    /// What is unique of the message.
    var id: String

    /// The address of the sender without the name.
    var sender: String { Self.address(from) }

    /// The part in angle brackets, or all.
    static func address(_ text: String) -> String {
        guard let open = text.lastIndex(of: "<"), let close = text.lastIndex(of: ">"), open < close else { return text }
        return String(text[text.index(after: open)..<close])
    }

    /// Whether a text is one address that can stand in a header and in an envelope.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        return parts.count == 2 && parts.allSatisfy { !$0.isEmpty } && text.utf8.count <= 254 && !text.hasPrefix("-")
            && text.unicodeScalars.allSatisfy {
                $0.value > 0x20 && $0.value != 0x7F && !"<>,;:\"()[]\\".unicodeScalars.contains($0)
            }
    }

    /// The bytes of the message, lines ended by CRLF.
    ///
    /// - Parameter date: The moment as RFC 5322 writes it.
    func bytes(date: String) -> [UInt8] {
        let name = from.contains("<") ? String(from.prefix { $0 != "<" }).trimmed : ""
        let author = name.isEmpty ? sender : "\(Self.encodedWord(name)) <\(sender)>"
        let domain = sender.split(separator: "@").last.map(String.init) ?? "localhost"
        var lines = [
            "From: \(author)", "To: \(to)", "Subject: \(Self.encodedWord(subject))", "Date: \(date)",
            "Message-ID: <\(Self.token(id))@\(domain)>", "MIME-Version: 1.0", "Content-Type: text/plain; charset=utf-8",
            "Content-Transfer-Encoding: base64", "Auto-Submitted: auto-generated", "",
        ]
        let encoded = Array(Base64.encode(Array(text.utf8)).utf8)
        for start in stride(from: 0, to: encoded.count, by: 76) {
            lines.append(String(decoding: encoded[start..<min(start + 76, encoded.count)], as: UTF8.self))
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    /// A text in a header: as it is where it is plain, else as words of base64 (RFC 2047). No line break survives.
    static func encodedWord(_ text: String) -> String {
        let clean = String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
        let isPlain = clean.utf8.allSatisfy { $0 < 0x80 && !"=?\"<>(),;:@[]\\".utf8.contains($0) }
        if isPlain, clean.utf8.count <= 60 { return clean }
        var words: [String] = []
        var part: [UInt8] = []
        for scalar in clean.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if part.count + bytes.count > 39 {
                words.append("=?utf-8?B?\(Base64.encode(part))?=")
                part = []
            }
            part += bytes
        }
        words.append("=?utf-8?B?\(Base64.encode(part))?=")
        return words.joined(separator: "\r\n ")
    }

    private static func token(_ text: String) -> String {
        String(text.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == ".") })
    }
}

extension String {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\"" }.reversed().drop { $0 == " " || $0 == "\"" }.reversed())
    }
}
