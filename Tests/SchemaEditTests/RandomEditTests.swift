import Foundation
import GraphQL
import Testing

@testable import SchemaEdit

/// Golden and random schemas in any layout × random edits. SYNCLINE_SEED repeats a run.
@Suite("Random edits of schemas")
struct RandomEditTests {
    /// Seeds of a run; more by SYNCLINE_EDIT_ROUNDS.
    private static let rounds =
        ProcessInfo.processInfo.environment["SYNCLINE_EDIT_ROUNDS"].flatMap { UInt64($0) } ?? 2

    /// Each golden schema, and as many random ones, in layouts of a seed.
    private func schemas(_ seed: UInt64) -> [(name: String, text: String)] {
        let golden = GoldenSchemas.all.enumerated().map { index, schema in
            var noise = SchemaNoise(random: SeededGenerator(seed: seed &+ UInt64(index)))
            return ("\(schema.name), seed \(seed)", noise.applied(to: schema.text))
        }
        let random = (0..<40).map { index in
            let own = seed &+ UInt64(1_000 + index)
            var schema = RandomSchemaText(random: SeededGenerator(seed: own), isVersionTwo: index % 2 == 0)
            var noise = SchemaNoise(random: SeededGenerator(seed: own &+ 1))
            return ("random \(index), seed \(seed)", noise.applied(to: schema.text()))
        }
        return golden + random
    }

    private func files(_ text: String) -> [SchemaFile] { [SchemaFile(name: "schema.graphql", text: text)] }

    private func version(of files: [SchemaFile]) throws(EditRefusal) -> SchemaEditor.Version {
        try SchemaSyntax(files, version: nil, limits: .standard).version
    }

    @Test("an edit changes the schema as intended, touches no other byte, and its inverse restores each")
    func single() throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random edits from seed \(first).")
        var counts: [String: (made: Int, refused: Int)] = [:]
        for seed in first..<first + Self.rounds {
            for (index, (name, text)) in schemas(seed).enumerated() {
                let files = files(text)
                let isVersionTwo = try version(of: files) == .two
                var random = RandomEdit(random: SeededGenerator(seed: (seed ^ 0x5EED) &+ UInt64(index) &* 7_919))
                let before = IntendedModel(text, isVersionTwo: isVersionTwo)
                for _ in 0..<8 {
                    let edit = random.edit(of: before)
                    let comment = Comment(rawValue: "\(name): \(edit.json)\n\(text)")
                    do throws(EditRefusal) {
                        let result = try SchemaEditor.apply(edit, to: files)
                        counts[edit.kind, default: (0, 0)].made += 1
                        expectIsConsistent(result, of: files, comment)
                        var intended = before
                        guard intended.apply(edit) else { continue }
                        let after = IntendedModel(result.files[0].text, isVersionTwo: isVersionTwo)
                        #expect(after.comparable == intended.comparable, comment)
                        #expect(commentCount(result.files[0]) >= commentCount(files[0]) - removable(edit), comment)
                    } catch {
                        counts[edit.kind, default: (0, 0)].refused += 1
                        #expect(error.code != .syntax && error.code != .limit, comment)
                    }
                }
            }
        }
        for kind in Edit.kinds where kind != "removeKey" && kind != "changeKey" && kind != "removeRelationship" {
            let count = counts[kind] ?? (0, 0)
            #expect(count.made * 10 > count.refused, "\(kind): made \(count.made), refused \(count.refused)")
        }
    }

    /// The comments between the tokens of a file, by number.
    private func commentCount(_ file: SchemaFile) -> Int {
        guard let tokens = try? Parser.tokens(of: Source(file.bytes)) else { return 0 }
        var count = 0
        var position = 0
        func add(_ gap: ArraySlice<UInt8>) {
            let lines = gap.split { $0 == 0x0A || $0 == 0x0D }
            count += lines.filter { $0.contains(UInt8(ascii: "#")) }.count
        }
        for token in tokens {
            add(file.bytes[position..<token.start])
            position = token.end
        }
        add(file.bytes[position...])
        return count
    }

    /// How many comments an edit may take with it: none unless it removes a definition.
    private func removable(_ edit: Edit) -> Int {
        switch edit {
        case .removeType, .removeField, .removeEnumValue, .removeRelationship, .removeKey, .setRules,
            .setModelArguments,
            .changeKey, .setDescription:
            Int.max / 2
        default: 0
        }
    }

    @Test("a sequence gives the same text in any grouping, and its inverse restores the first")
    func grouping() throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random sequences from seed \(first).")
        for (index, (name, text)) in schemas(first).enumerated() {
            var random = RandomEdit(random: SeededGenerator(seed: (first ^ 0x6E0) &+ UInt64(index) &* 7_919))
            var files = files(text)
            var accepted: [Edit] = []
            var composed = TextEdits()
            for _ in 0..<12 {
                let model = IntendedModel(files[0].text, isVersionTwo: try version(of: files) == .two)
                let edit = random.edit(of: model)
                guard let result = try? SchemaEditor.apply(edit, to: files) else { continue }
                accepted.append(edit)
                composed = composed.followed(by: result.edits)
                files = result.files
            }
            let comment = Comment(rawValue: "\(name): \(accepted.map(\.json))\n\(text)")
            let base = self.files(text)
            let whole = try SchemaEditor.apply(accepted, to: base)
            #expect(whole.files == files, comment)
            #expect(composed.applied(to: base) == files, comment)
            expectIsConsistent(whole, of: base, comment)
            let middle = Int.random(in: 0...accepted.count, using: &random.random)
            let head = try SchemaEditor.apply(Array(accepted.prefix(middle)), to: base)
            let tail = try SchemaEditor.apply(Array(accepted.dropFirst(middle)), to: head.files)
            #expect(tail.files == files, comment)
            #expect(head.edits.followed(by: tail.edits).applied(to: base) == files, comment)
        }
    }

    @Test("edits on a file changed elsewhere are merged to the same lines from both sides, or refused")
    func merging() throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random merges from seed \(first).")
        var merges = 0
        for seed in first..<first + Self.rounds {
            for (index, (name, text)) in schemas(seed).enumerated() {
                let base = files(text)
                var random = RandomEdit(random: SeededGenerator(seed: (seed ^ 0x3E6E) &+ UInt64(index) &* 7_919))
                let model = IntendedModel(text, isVersionTwo: try version(of: base) == .two)
                for _ in 0..<6 {
                    let (mine, other) = (random.edit(of: model), random.edit(of: model))
                    guard let ours = try? SchemaEditor.apply(mine, to: base),
                        let theirs = try? SchemaEditor.apply(other, to: base)
                    else { continue }
                    let comment = Comment(rawValue: "\(name): \(mine.json) and \(other.json)\n\(text)")
                    guard let edits = try? SchemaMerge.merge(ours.edits, of: base, into: theirs.files) else { continue }
                    merges += 1
                    let merged = try #require(edits.applied(to: theirs.files), comment)
                    #expect(Parser.parseTypeSystem([Source(merged[0].bytes)]).errors.isEmpty, comment)
                    if let reverse = try? SchemaMerge.merge(theirs.edits, of: base, into: ours.files) {
                        let reversed = try #require(reverse.applied(to: ours.files), comment)
                        #expect(lines(of: reversed[0]) == lines(of: merged[0]), comment)
                    }
                }
            }
        }
        #expect(merges > 100)
    }

    /// The lines of a file in no order: of two types that are added at one place, either may be the first.
    private func lines(of file: SchemaFile) -> [String] {
        file.bytes.split { $0 == 0x0A || $0 == 0x0D }.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    @Test("a schema of random bytes is refused or edited, and never ends the process")
    func bytes() throws {
        let first = UInt64.testSeed(in: 0...UInt64.max >> 1)
        print("Random bytes from seed \(first).")
        for (index, schema) in schemas(first).enumerated() {
            var random = SeededGenerator(seed: first &+ UInt64(index))
            var bytes = Array(schema.text.utf8)
            for _ in 0..<2 {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
            }
            let files = [SchemaFile(name: "schema.graphql", bytes: bytes)]
            var edits = RandomEdit(random: random)
            let model = IntendedModel(schema.text, isVersionTwo: index % 2 == 0)
            for _ in 0..<4 {
                guard let result = try? SchemaEditor.apply(edits.edit(of: model), to: files) else { continue }
                expectIsConsistent(result, of: files, Comment(rawValue: "\(schema.name)"))
            }
        }
    }
}
