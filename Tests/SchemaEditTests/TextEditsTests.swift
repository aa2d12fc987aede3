import GraphQL
import Testing
import Transformer

@testable import SchemaEdit

@Suite("Edits of text")
struct TextEditsTests {
    private func edit(_ start: Int, _ end: Int, _ text: String) -> TextEdit {
        TextEdit(file: "a", start: start, end: end, text: text)
    }

    private func text(_ files: [SchemaFile]?) -> String? { files?[0].text }

    @Test("edits that overlap, or lie outside their file, are none")
    func invalid() {
        #expect(TextEdits([edit(0, 3, ""), edit(2, 4, "")]) == nil)
        #expect(TextEdits([edit(3, 2, "")]) == nil)
        #expect(TextEdits([edit(0, 9, "")])?.applied(to: [SchemaFile(name: "a", text: "abc")]) == nil)
        #expect(TextEdits([edit(0, 1, "")])?.applied(to: [SchemaFile(name: "b", text: "abc")]) == nil)
    }

    @Test("random edits composed have the effect of one after the other, and inverses restore")
    func composition() throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random text edits from seed \(first).")
        for seed in first..<first + 300 {
            var random = SeededGenerator(seed: seed)
            let base = [SchemaFile(name: "a", text: "abcdefghijklmnop")]
            var files = base
            var all = TextEdits()
            for round in 0..<4 {
                let edits = try #require(TextEdits(self.edits(of: files[0].bytes.count, round, &random)))
                let next = try #require(edits.applied(to: files))
                #expect(edits.inverse(for: files).applied(to: next) == files, "seed \(seed)")
                all = all.followed(by: edits)
                files = next
                #expect(all.applied(to: base) == files, "seed \(seed)")
            }
            #expect(all.inverse(for: base).applied(to: files) == base, "seed \(seed)")
        }
    }

    private func edits(of count: Int, _ round: Int, _ random: inout SeededGenerator) -> [TextEdit] {
        var position = 0
        var edits: [TextEdit] = []
        while position < count, Bool.random(using: &random) || edits.isEmpty {
            let start = Int.random(in: position...count, using: &random)
            let end = Int.random(in: start...min(count, start + 4), using: &random)
            let text = String(repeating: "\(round)", count: Int.random(in: 0...3, using: &random))
            edits.append(edit(start, end, text))
            position = end
        }
        return edits
    }

    @Test("replacements are as short as they can be, and leave characters whole")
    func trimming() throws {
        let files = try SchemaSyntax(
            [SchemaFile(name: "a", text: "\"é\" type A { x: Int }")], version: nil, limits: .standard
        ).files
        var changes = Changes()
        changes.replace(0..<4, in: 0, with: "\"è\"")
        changes.replace(17..<20, in: 0, with: "Int!")
        #expect(changes.edits(of: files)?.edits == [edit(1, 3, "è"), edit(20, 20, "!")])
        changes.remove(2..<3, in: 0)
        #expect(changes.edits(of: files) == nil)
    }

    @Test("differences by lines are the shortest ones and restore the second text")
    func differences() throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random lines from seed \(first).")
        for seed in first..<first + 300 {
            var random = SeededGenerator(seed: seed)
            let old = lines(&random)
            let new = lines(&random)
            let hunks = try #require(LineDifference.hunks(from: old, to: new, limits: .standard))
            var result: [UInt8] = []
            var position = 0
            for hunk in hunks {
                result += old[position..<hunk.old.lowerBound] + new[hunk.new]
                position = hunk.old.upperBound
            }
            result += old[position...]
            #expect(result == new, "seed \(seed)")
            #expect(old != new || hunks.isEmpty)
        }
        var limits = SchemaEditLimits.standard
        limits.mergeDifferencesMax = 3
        #expect(LineDifference.hunks(from: Array("a\nb\nc\n".utf8), to: Array("d\ne\nf\n".utf8), limits: limits) == nil)
        #expect(
            LineDifference.hunks(from: Array("a\nb\nc\n".utf8), to: Array("a\nc\n".utf8), limits: limits)?.count == 1)
    }

    private func lines(_ random: inout SeededGenerator) -> [UInt8] {
        let ends = ["\n", "\r\n", "\n", "\r"]
        var text = ""
        for _ in 0..<Int.random(in: 0...12, using: &random) {
            text += ["a", "b", "c", ""].randomElement(using: &random) ?? ""
            text += ends.randomElement(using: &random) ?? ""
        }
        return Array((text + (Bool.random(using: &random) ? "a" : "")).utf8)
    }

    @Test("the version of a schema is the transformer's")
    func version() {
        for (name, text) in GoldenSchemas.all {
            let parsed = Parser.parseTypeSystem([Source(text)])
            let expected = Transform.version(of: parsed.document, options: TransformOptions())
            let syntax = try? SchemaSyntax([SchemaFile(name: "a", text: text)], version: nil, limits: .standard)
            #expect((syntax?.version == .two) == (expected == .v2), "\(name)")
        }
        for directive in SchemaSyntax.versionTwoDirectives.union(SchemaSyntax.versionOneDirectives) {
            let text = "type A @\(directive) { x: Int @\(directive) }"
            let parsed = Parser.parseTypeSystem([Source(text)])
            let expected = Transform.version(of: parsed.document, options: TransformOptions())
            let syntax = try? SchemaSyntax([SchemaFile(name: "a", text: text)], version: nil, limits: .standard)
            #expect((syntax?.version == .two) == (expected == .v2), "\(directive)")
        }
    }
}
