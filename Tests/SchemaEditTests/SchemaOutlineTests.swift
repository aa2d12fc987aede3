import JSON
import SchemaEdit
import Testing

@Suite("Outlines, lines and differences of schemas")
struct SchemaOutlineTests {
    @Test("both versions are read into the same terms, with extensions folded in and places in bytes")
    func versions() throws {
        let text = """
            type Café @model @key(name: "byTown", fields: ["town", "name"], queryField: "inTown") {
              id: ID!
              town: String!
              tables: [Table] @connection(keyName: "byCafe", fields: ["id"])
            }
            extend type Café { name: String! }
            type Table @model(timestamps: null) @key(name: "byCafe", fields: ["cafeID"]) {
              id: ID!
              cafeID: ID!
              cafe: Cafe @connection(fields: ["cafeID"])
              plate: Plate
              flags: [Boolean!]!
              made: String @function(name: "make")
            }
            type Plate { size: Int }
            """.replacing("Café", with: "Cafe")
        let outline = try SchemaOutline([SchemaFile(name: "a.graphql", text: "# é\n" + text)])
        #expect(outline.version == 1)
        let json = outline.json
        let types = try #require(json["types"]?.arrayValue)
        #expect(types.map { $0["kind"]?.stringValue } == ["model", "model", "custom"])
        let cafe = types[0]
        #expect(cafe["fields"]?.arrayValue?.compactMap { $0["name"]?.stringValue } == ["id", "town", "tables", "name"])
        #expect(cafe["place"]?["start"] == 5 && cafe["place"]?["line"] == 2 && cafe["place"]?["column"] == 1)
        #expect(cafe["keys"]?.arrayValue?[0]["name"] == .null)
        #expect(cafe["keys"]?.arrayValue?[1]["queryField"] == "inTown")
        let fields = try #require(types[1]["fields"]?.arrayValue)
        #expect(fields[4]["list"] == true && fields[4]["required"] == true && fields[4]["elementRequired"] == true)
        #expect(fields[5]["functions"] == ["make"] && fields[5]["stored"] == false)
        #expect(fields[3]["kind"] == "custom" && fields[3]["stored"] == true)
        #expect(types[1]["arguments"] == ["timestamps": .null])
        let relations = try #require(json["relationships"]?.arrayValue)
        #expect(relations.map { $0["has"]?.stringValue } == ["many", "one"])
        #expect(relations[0]["reverseField"] == "cafe" && relations[1]["reverse"] == "many")
        #expect(relations[1]["keyFields"] == ["cafeID"])
    }

    @Test("a text with a syntax error has no outline, an empty one has no types")
    func syntax() throws {
        #expect(throws: EditRefusal.self) { try SchemaOutline([SchemaFile(name: "a", text: "type {")]) }
        #expect(try SchemaOutline([SchemaFile(name: "a", text: "# nothing\n")]).types.isEmpty)
    }

    @Test("the lines of a text give places for bytes, and bytes for places")
    func lines() {
        let text = Array("a\r\nbé😀c\rd\n".utf8)
        let table = LineTable(text)
        for (offset, line, column) in [(0, 1, 1), (3, 2, 1), (4, 2, 2), (6, 2, 3), (10, 2, 5), (12, 3, 1), (14, 4, 1)] {
            #expect(table.location(of: offset) == (line, column), "\(offset)")
            #expect(table.offset(line: line, column: column) == offset)
        }
        #expect(table.offset(line: 5, column: 1) == nil && table.location(of: 99) == (4, 1))
    }

    @Test("places in lines of many bytes are those that counting finds", arguments: ["", "\u{FEFF}"])
    func longLines(mark: String) {
        let parts = ["a", "é", "€", "😀", "  name: String"]
        let line = (0..<2_000).map { parts[($0 * 7 + $0 / 3) % parts.count] }.joined()
        let text = Array((mark + line + "\r\n" + line + "\r" + line + "\n").utf8)
        let table = LineTable(text)
        var (place, isWrong) = ((line: 1, column: 1), false)
        for offset in mark.utf8.count..<text.count {
            let byte = text[offset]
            guard byte & 0xC0 != 0x80 else { continue }
            let found = table.location(of: offset)
            isWrong = isWrong || found != place
            if byte != 0x0A || text[offset - 1] != 0x0D {
                isWrong = isWrong || table.offset(line: place.line, column: place.column) != offset
            }
            if byte == 0x0A || byte == 0x0D && text[offset + 1] != 0x0A {
                place = (place.line + 1, 1)
            } else {
                place.column += byte >= 0xF0 ? 2 : 1
            }
        }
        #expect(!isWrong)
        // A column beyond the line means its end, before what ends it.
        let end = mark.utf8.count + line.utf8.count
        #expect(table.offset(line: 1, column: 1_000_000) == end)
        #expect(table.offset(line: 3, column: 1_000_000) == text.count - 1)
    }

    // Counting from the start of the line for each place takes minutes.
    @Test("a model of 30,000 fields in one line has an outline", .timeLimit(.minutes(1)))
    func manyPlacesInOneLine() throws {
        let fields = (0..<30_000).map { " f\($0): String" }.joined()
        let outline = try SchemaOutline([SchemaFile(name: "s", text: "type A @model { id: ID!\(fields) }")])
        #expect(outline.types.first?.json["fields"]?.arrayValue?.count == 30_001)
    }

    @Test("a difference has the changed lines with those around them, as diff -u prints it")
    func difference() {
        func diff(_ old: String, _ new: String) -> String {
            SchemaDifference.unified(
                from: [SchemaFile(name: "s", text: old)], to: [SchemaFile(name: "s", text: new)]
            ).map(\.text).joined()
        }
        let lines = (1...12).map { "\($0)\n" }
        var changed = lines
        changed[5] = "six\n"
        changed.remove(at: 11)
        #expect(
            diff(lines.joined(), changed.joined())
                == "--- s\n+++ s\n@@ -3,10 +3,9 @@\n 3\n 4\n 5\n-6\n+six\n 7\n 8\n 9\n 10\n 11\n-12\n")
        #expect(diff("a\n", "a\n").isEmpty)
        #expect(diff("", "a") == "--- s\n+++ s\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n")
        let edits = SchemaDifference.edits(
            from: [SchemaFile(name: "s", text: lines.joined())], to: [SchemaFile(name: "s", text: changed.joined())])
        #expect(edits?.applied(to: [SchemaFile(name: "s", text: lines.joined())])?.first?.text == changed.joined())
    }
}
