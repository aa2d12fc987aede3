import Foundation
import Testing

/// Comments cite specifications, manuals and `docs/reference`, never a document that is not in the repository.
@Suite("A reader of the repository can follow every citation")
struct CitationTests {
    /// What precedes a section sign: the name of a public specification, as `docs/reference/README.md` lists them.
    private var published: Regex<Substring> {
        /(?:RFC \d+|[Ss]pec|SQLite, "[^"]+",|OpenID Connect (?:Core|Discovery) 1\.0) $/
    }
    /// The specifications from which `docs/reference` was written; they are not in the repository.
    private var unpublished: Regex<Substring> {
        /(?i)(?:appsync[- ]protocol|datastore-sync|transformer|authorization|amplify-project|resolvers)(?:\.md)? §/
    }

    @Test("every reference names a file of docs/reference and a heading in it")
    func references() throws {
        let headings = try headings()
        var count = 0
        for (name, text) in try sources() {
            let citations = text.matches(of: /\(reference: ([a-z-]+), "([^"\n]+)"\)/)
            // The pattern does not find one that is misspelt or broken into two lines.
            #expect(citations.count == text.ranges(of: "(reference:").count, "\(name)")
            for citation in citations {
                let (file, heading) = (String(citation.1), String(citation.2))
                #expect(headings[file]?.contains(heading) == true, "\(name): \(file), \"\(heading)\"")
            }
            count += citations.count
        }
        #expect(count > 100, "the citations were found")
    }

    @Test("a section is cited by its number only of a public specification")
    func sections() throws {
        for (name, text) in try sources() {
            for paragraph in paragraphs(of: text) {
                guard let sign = paragraph.firstIndex(of: "§") else { continue }
                #expect(paragraph[..<sign].contains(published), "\(name): \(paragraph)")
                #expect(!paragraph.contains(unpublished), "\(name): \(paragraph)")
            }
        }
    }

    @Test("every link inside docs/reference leads to a file and a heading")
    func links() throws {
        for file in try documents() {
            let text = try String(contentsOf: file, encoding: .utf8)
            for link in text.matches(of: /\]\(([^)#:]*)(?:#([^)]*))?\)/) {
                let target =
                    link.1.isEmpty ? file : file.deletingLastPathComponent().appending(path: String(link.1))
                let place = "\(file.lastPathComponent): \(link.0)"
                let linked = try? String(contentsOf: target.standardizedFileURL, encoding: .utf8)
                #expect(linked != nil, "\(place)")
                guard let linked, let anchor = link.2 else { continue }
                #expect(headings(in: linked).map(anchorName).contains(String(anchor)), "\(place)")
            }
        }
    }

    // MARK: - Reading

    /// The sources and tests with their names, this file aside, which names what it looks for.
    private func sources() throws -> [(name: String, text: String)] {
        try ["Sources", "Tests"].flatMap { folder in
            let root = TidyTests.root.appending(path: folder)
            return try FileManager.default.subpathsOfDirectory(atPath: root.path)
                .filter { $0.hasSuffix(".swift") && !$0.hasSuffix("/CitationTests.swift") }
                .map { ($0, try String(contentsOf: root.appending(path: $0), encoding: .utf8)) }
        }
    }

    /// The paragraphs of comments, each in one line, and every other line for itself.
    private func paragraphs(of text: String) -> [String] {
        var paragraphs: [String] = []
        var continues = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let content = line.drop { $0 == " " }
            let words = content.drop { $0 == "/" }.drop { $0 == " " }
            let isComment = content.hasPrefix("//") && !words.isEmpty
            if isComment, continues, !words.hasPrefix("- ") {
                paragraphs[paragraphs.count - 1] += " " + words
            } else {
                paragraphs.append(String(words))
            }
            continues = isComment
        }
        return paragraphs
    }

    private func documents() throws -> [URL] {
        let folder = TidyTests.root.appending(path: "docs/reference")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
            .map { folder.appending(path: $0) }
    }

    /// The headings of each document, by its name without `.md`.
    private func headings() throws -> [String: Set<String>] {
        var headings: [String: Set<String>] = [:]
        for file in try documents() {
            let text = try String(contentsOf: file, encoding: .utf8)
            headings[file.deletingPathExtension().lastPathComponent] = Set(self.headings(in: text))
        }
        return headings
    }

    private func headings(in text: String) -> [String] {
        text.matches(of: /(?m)^#+ +(.+)$/).map { String($0.1) }
    }

    /// A heading as Markdown renderers name its anchor.
    private func anchorName(_ heading: String) -> String {
        String(heading.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) })
            .replacingOccurrences(of: " ", with: "-")
    }
}
