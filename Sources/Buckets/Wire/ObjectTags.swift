import Encodings
import JSON

/// The tags of an object (Amazon S3 User Guide, "Categorizing your storage using tags").
enum ObjectTags {
    /// The header of the tags of an object that is stored.
    static let header = "x-amz-tagging"
    /// Tags of an object.
    static let countMax = 10
    private static let keyCharactersMax = 128
    private static let valueCharactersMax = 256

    /// Reads `x-amz-tagging`: `key=value&…`, encoded as in a query.
    static func read(_ text: String?) throws(S3Error) -> [(name: String, value: String)] {
        guard let text, !text.isEmpty else { return [] }
        var tags: [(name: String, value: String)] = []
        for part in text.split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let parts = pair.compactMap { text in
                Percent.decodeStrictly(text.utf8, plus: UInt8(ascii: " ")).flatMap {
                    String(validating: $0, as: UTF8.self)
                }
            }
            guard parts.count == pair.count else { throw .invalidTagging }
            tags.append((parts[0], parts.count > 1 ? parts[1] : ""))
        }
        return try checked(tags)
    }

    /// Reads a `Tagging` document.
    static func read(_ document: XMLElement) throws(S3Error) -> [(name: String, value: String)] {
        guard let set = document["TagSet"] else { throw .malformedXML }
        var tags: [(name: String, value: String)] = []
        for tag in set.all("Tag") {
            guard let key = tag["Key"], let value = tag["Value"] else { throw .malformedXML }
            tags.append((key.text, value.text))
        }
        return try checked(tags)
    }

    private static func checked(
        _ tags: [(name: String, value: String)]
    ) throws(S3Error) -> [(name: String, value: String)] {
        guard tags.count <= countMax else {
            throw S3Error("BadRequest", 400, "Object tags cannot be greater than \(countMax)")
        }
        for (index, tag) in tags.enumerated() {
            guard !tag.name.hasBytePrefix(lowercased: "aws:") else { throw .systemTag }
            guard 1...keyCharactersMax ~= tag.name.unicodeScalars.count,
                tag.value.unicodeScalars.count <= valueCharactersMax,
                !tags[..<index].contains(where: { $0.name.isExactly(tag.name) })
            else { throw .invalidTag }
        }
        return tags
    }
}
