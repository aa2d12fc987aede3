/// The addresses that a browser is sent to from the hosted pages.
enum RedirectURI {
    /// Whether an address can be registered: a scheme of its own is legal, a fragment is not (RFC 6749 §3.1.2).
    static func isValid(_ text: String) -> Bool {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, text.utf8.count <= 1_024 else {
            return false
        }
        let scheme = text[..<colon].lowercased()
        return scheme.utf8.allSatisfy { $0.isLowercaseLetter || $0.isDigit || "+-.".utf8.contains($0) }
            && scheme.utf8.first?.isLowercaseLetter == true && !text.contains("#")
            && !["javascript", "data", "vbscript", "file", "blob"].contains(scheme)
            && text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F }
    }
}
