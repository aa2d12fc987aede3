import GraphQL
import SchemaEdit
import Testing
import Transformer

@Suite("The modelling of the first tutorial")
struct TutorialTests {
    private let publicRule: [ConstValue] = [["allow": .enumValue("public")]]

    private func field(_ name: String, _ type: String = "String") -> Edit.Field {
        Edit.Field(name: name, type: type, isRequired: true)
    }

    private func flow() -> [Edit] {
        let fields: [(String, Edit.Field)] = [
            ("User", field("username")), ("Room", field("description")), ("Room", field("city")),
            ("Room", field("price", "Int")), ("Room", field("imageKey")), ("Booking", field("guestId", "ID")),
            ("Booking", field("checkInDate", "AWSDate")), ("Booking", field("checkOutDate", "AWSDate")),
        ]
        let models = ["User", "Room", "Booking"].flatMap { name in
            [Edit.addModel(Edit.Object(name: name, rules: publicRule))]
                + fields.filter { $0.0 == name }.map { .addField(type: name, field: $0.1) }
        }
        return models + [
            .addRelationship(
                Edit.Relationship(type: "Booking", has: .one, target: "Room", field: "room", isRequired: true))
        ]
    }

    @Test("User, Room and Booking, modelled from an empty file, are the golden schema byte for byte")
    func golden() throws {
        var schema = Schema("")
        for edit in flow() { try schema.apply(edit) }
        let golden = try GoldenSchemas.text("seed-booking-public")
        let lines = golden.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(schema.text == lines.dropFirst().joined(separator: "\n"))
    }

    @Test("the flow in one sequence gives the same text, and undoing it an empty file")
    func sequence() throws {
        let files = [SchemaFile(name: "schema.graphql", text: "")]
        let result = try SchemaEditor.apply(flow(), to: files)
        var schema = Schema("")
        for edit in flow() { try schema.apply(edit) }
        #expect(result.files == schema.files)
        #expect(result.inverse.applied(to: result.files) == files)
    }

    @Test("without Required the relationship is `room: Room @connection`")
    func optional() throws {
        var schema = Schema("")
        for edit in flow().dropLast() { try schema.apply(edit) }
        try schema.apply(
            .addRelationship(Edit.Relationship(type: "Booking", has: .one, target: "Room", field: "room")))
        #expect(schema.text.contains("  id: ID!\n  room: Room @connection\n  guestId: ID!\n"))
    }

    @Test("the flow's files are served by the transformer after each edit")
    func served() throws {
        var schema = Schema("")
        for edit in flow() {
            try schema.apply(edit)
            guard case .success = Transform.transform([Source(schema.text)]) else {
                Issue.record("\(schema.text)")
                return
            }
        }
    }

    @Test("`imageKey` is renamed to `photoKey` with an entry of renames, and every other byte stays")
    func rename() throws {
        var schema = Schema(try GoldenSchemas.text("seed-booking-public"))
        let before = schema.text
        let result = try schema.apply(.renameField(type: "Room", field: "imageKey", to: "photoKey"))
        #expect(schema.text == before.replacing("imageKey", with: "photoKey"))
        #expect(result.renames == [.field(type: "Room", old: "imageKey", new: "photoKey")])
        #expect(result.renames.map(\.argument) == ["Room.imageKey=photoKey"])
    }
}
