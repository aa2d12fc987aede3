import Encodings

/// The tags of an object (Amazon S3 User Guide, "Categorizing your storage using tags").
enum ObjectTags {
    /// Tags of an object.
    static let countMax = 10
    private static let keyCharactersMax = 128
    private static let valueCharactersMax = 256

    /// Reads `x-amz-tagging`: `key=value&…`, encoded as in a query.
    static func read(_ text: String?) throws(S3Error) -> [(name: String, value: String)] {
        guard let text, !text.isEmpty else { return [] }
        let tags = text.split(separator: "&").map { part -> (name: String, value: String) in
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let parts = pair.map { Percent.decode($0.utf8, plusIsSpace: true) }
            return (parts[0], parts.count > 1 ? parts[1] : "")
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
            guard 1...keyCharactersMax ~= tag.name.unicodeScalars.count,
                tag.value.unicodeScalars.count <= valueCharactersMax,
                !tags[..<index].contains(where: { $0.name == tag.name })
            else { throw .invalidTag }
        }
        return tags
    }
}
