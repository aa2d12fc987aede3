import Encodings

/// How the hosted pages of a pool look.
struct PoolStyle: Sendable, Hashable {
    /// What stands on the pages in place of the pool's name.
    var title: String?
    /// An address of `https`, a path of the server's host, or an image as a `data:` URL.
    var logo: String?
    /// `#rrggbb`.
    var primaryColor: String?
    var backgroundColor: String?

    init() {}

    init(_ reader: SettingsReader) {
        title = reader.string("Title")
        logo = Self.logo(reader)
        primaryColor = Self.color(reader, "PrimaryColor")
        backgroundColor = Self.color(reader, "BackgroundColor")
        reader.finish()
    }

    private static func logo(_ reader: SettingsReader) -> String? {
        guard let text = reader.string("Logo") else { return nil }
        guard ["https://", "data:image/", "/"].contains(where: text.hasPrefix) else {
            reader.report(
                "Logo", "A logo is https://…, /PATH or data:image/…, and not \"\(text.prefix(100))\".",
                hint: "The pages' Content-Security-Policy allows no other address.")
            return nil
        }
        return text
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
