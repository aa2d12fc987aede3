import SchemaEdit
import Testing

@Suite("A draft on a file that changed elsewhere")
struct SchemaMergeTests {
    private let base = """
        # Rooms and bookings.
        type Room @model {
          id: ID!
          city: String
        }

        type Booking @model {
          id: ID!
          date: AWSDate
        }

        enum Kind { A B }

        """

    private func files(_ text: String) -> [SchemaFile] { [SchemaFile(name: "schema.graphql", text: text)] }

    private func merged(_ edit: Edit, into current: String) throws(EditRefusal) -> String {
        let result = try SchemaEditor.apply(edit, to: files(base))
        let edits = try SchemaMerge.merge(result.edits, of: files(base), into: files(current))
        return edits.applied(to: files(current))?[0].text ?? ""
    }

    private func refusal(of edit: Edit, into current: String) -> EditRefusal? {
        do throws(EditRefusal) {
            _ = try merged(edit, into: current)
            return nil
        } catch {
            return error
        }
    }

    private let note = Edit.addField(type: "Booking", field: Edit.Field(name: "note", type: "String"))

    @Test("changes of different places are both kept")
    func both() throws {
        let current =
            "# By a colleague.\n" + base.replacing("  city: String\n", with: "  city: String!\n  price: Int\n")
        #expect(
            try merged(note, into: current)
                == current.replacing("  date: AWSDate\n", with: "  date: AWSDate\n  note: String\n"))
        #expect(try merged(note, into: base) == base.replacing("AWSDate\n", with: "AWSDate\n  note: String\n"))
    }

    @Test("changes of the same lines are a conflict, at its place")
    func conflict() {
        let refused = refusal(of: note, into: base.replacing("AWSDate\n", with: "AWSDate\n  stars: Int\n"))
        #expect(refused?.code == .conflict)
        #expect(refused?.place?.line == 10)
        let type = base.replacing("type Booking @model {", with: "type Booking @model @custom {")
        #expect(refusal(of: .renameType(name: "Booking", to: "Stay"), into: type)?.code == .conflict)
    }

    @Test("what both say, and what one removed and the other uses, is a conflict")
    func contradiction() {
        let twice = base.replacing("  id: ID!\n  date", with: "  note: Int\n  id: ID!\n  date")
        #expect(refusal(of: note, into: twice)?.code == .conflict)
        let kind = Edit.addField(type: "Booking", field: Edit.Field(name: "kind", type: "Kind"))
        #expect(refusal(of: kind, into: base.replacing("enum Kind { A B }\n", with: ""))?.code == .conflict)
        #expect(
            refusal(of: .addModel(Edit.Object(name: "User")), into: "type User @model { id: ID! }\n\n" + base)?.code
                == .conflict)
    }

    @Test("two indexes without names, added on both sides, are no conflict")
    func namelessIndexes() throws {
        let base = "type A @model {\n  id: ID!\n  b: Int @index\n  c: Int\n  d: Int\n  e: Int\n  f: Int\n}\n"
        let ours = base.replacing("f: Int", with: "f: Int @index")
        let theirs = base.replacing("c: Int", with: "c: Int @index")
        let merged = try SchemaMerge.merge(files(ours), of: files(base), into: files(theirs))
        #expect(merged.first?.text == theirs.replacing("f: Int", with: "f: Int @index"))
    }

    @Test("a file that is gone, and edits of another file, are refused")
    func gone() throws {
        let result = try SchemaEditor.apply(note, to: files(base))
        #expect(throws: EditRefusal.self) {
            try SchemaMerge.merge(result.edits, of: files(base), into: [SchemaFile(name: "b", text: base)])
        }
        #expect(throws: EditRefusal.self) {
            try SchemaMerge.merge(result.edits, of: files("type A { x: Int }"), into: files(base))
        }
    }
}
