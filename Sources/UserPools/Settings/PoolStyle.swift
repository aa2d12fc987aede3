import Encodings

/// How the hosted pages of a pool look.
struct PoolStyle: Sendable, Hashable {
    /// What stands on the pages in place of the pool's name.
    var title: String?
    var logo: String?
    /// `#rrggbb`.
    var primaryColor: String?
    var backgroundColor: String?

    init() {}

    init(_ reader: SettingsReader) {
        title = reader.string("Title")
        logo = reader.string("Logo")
        primaryColor = Self.color(reader, "PrimaryColor")
        backgroundColor = Self.color(reader, "BackgroundColor")
        reader.finish()
    }

    private static func color(_ reader: SettingsReader, _ word: String) -> String? {
        guard let text = reader.string(word) else { return nil }
        guard text.hasPrefix("#"), text.utf8.count == 7, Hexadecimal.bytes(of: text.dropFirst()) != nil else {
            reader.report(word, "A colour is written as #1a2b3c, and not \"\(text)\".")
            return nil
        }
        return text
    }
}
