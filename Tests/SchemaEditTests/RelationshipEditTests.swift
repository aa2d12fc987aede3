import GraphQL
import SchemaEdit
import Testing
import Transformer

@Suite("Edits of relationships")
struct RelationshipEditTests {
    private let text = """
        type Booking @model {
          id: ID!
          date: AWSDate
        }

        type Room @model {
          id: ID!
          city: String
        }

        """

    private func relationship(
        _ has: Edit.Relationship.Count, _ reverse: Edit.Relationship.Count = .none, key: String? = nil
    ) -> Edit.Relationship {
        Edit.Relationship(
            type: "Booking", has: has, target: "Room", field: has == .many ? "rooms" : "room", reverse: reverse,
            reverseField: reverse == .none ? nil : reverse == .many ? "bookings" : "booking", keyField: key)
    }

    /// The schema after a relationship is added, which the transformer serves.
    private func added(
        _ relationship: Edit.Relationship, _ version: SchemaEditor.Version, to text: String? = nil
    ) throws -> String {
        let result = try edited(text ?? self.text, .addRelationship(relationship), version: version)
        let outcome = Transform.transform(
            [Source(result)], options: TransformOptions(transformerVersion: version == .one ? .v1 : .v2))
        if case .failure(let diagnostics) = outcome {
            Issue.record("\(diagnostics.map { $0.render() }.joined(separator: "\n"))\n\(result)")
        }
        return result
    }

    @Test("one, with no reference: with a generated key or with a visible one")
    func one() throws {
        #expect(
            try added(relationship(.one), .one)
                == text.replacing("  date", with: "  room: Room @connection\n  date"))
        #expect(
            try added(relationship(.one, key: "roomID"), .one)
                == text.replacing(
                    "  date", with: "  roomID: ID!\n  room: Room @connection(fields: [\"roomID\"])\n  date"))
        #expect(
            try added(relationship(.one), .two) == text.replacing("  date", with: "  room: Room @hasOne\n  date"))
        #expect(
            try added(relationship(.one, key: "roomID"), .two)
                == text.replacing("  date", with: "  roomID: ID!\n  room: Room @hasOne(fields: [\"roomID\"])\n  date"))
    }

    @Test("one and many, from either side")
    func oneToMany() throws {
        let one = text.replacing(
            "type Booking @model {", with: "type Booking @model @key(name: \"byRoom\", fields: [\"roomID\"]) {"
        )
        .replacing("  date", with: "  roomID: ID!\n  room: Room @connection(fields: [\"roomID\"])\n  date")
        .replacing(
            "  city: String\n",
            with: "  city: String\n  bookings: [Booking] @connection(keyName: \"byRoom\", fields: [\"id\"])\n")
        #expect(try added(relationship(.one, .many), .one) == one)
        let two = text.replacing(
            "  date",
            with: "  roomID: ID! @index(name: \"byRoom\")\n  room: Room @belongsTo(fields: [\"roomID\"])\n  date"
        ).replacing(
            "  city: String\n",
            with: "  city: String\n  bookings: [Booking] @hasMany(indexName: \"byRoom\", fields: [\"id\"])\n")
        #expect(try added(relationship(.one, .many), .two) == two)
        let fromRoom = Edit.Relationship(
            type: "Room", has: .many, target: "Booking", field: "bookings", reverse: .one, reverseField: "room")
        #expect(try added(fromRoom, .one) == one)
        #expect(try added(fromRoom, .two) == two)
    }

    @Test("many, with no reference, has a key and no field that leads back")
    func many() throws {
        let result = try added(relationship(.many), .one)
        #expect(
            result.contains(
                "type Room @model @key(name: \"byBooking\", fields: [\"bookingID\"]) {\n  id: ID!\n  bookingID: ID!\n  city"
            ))
        #expect(result.contains("  rooms: [Room] @connection(keyName: \"byBooking\", fields: [\"id\"])\n}"))
        _ = try added(relationship(.many), .two)
    }

    @Test("one and one: two keys are stored, in both versions")
    func oneToOne() throws {
        #expect(
            try added(relationship(.one, .one), .one)
                == text.replacing("  date", with: "  room: Room @connection\n  date").replacing(
                    "  city: String\n", with: "  city: String\n  booking: Booking @connection\n"))
        #expect(
            try added(relationship(.one, .one), .two)
                == text.replacing("  date", with: "  room: Room @hasOne\n  date").replacing(
                    "  city: String\n", with: "  city: String\n  booking: Booking @belongsTo\n"))
    }

    @Test("many and many: a join model in version 1, @manyToMany in version 2")
    func manyToMany() throws {
        let one = try added(relationship(.many, .many), .one)
        #expect(
            one.hasSuffix(
                """
                type BookingRoom @model @key(name: "byBooking", fields: ["bookingID", "roomID"]) @key(name: "byRoom", fields: ["roomID", "bookingID"]) {
                  id: ID!
                  bookingID: ID!
                  roomID: ID!
                  booking: Booking! @connection(fields: ["bookingID"])
                  room: Room! @connection(fields: ["roomID"])
                }

                """))
        #expect(one.contains("  rooms: [BookingRoom] @connection(keyName: \"byBooking\", fields: [\"id\"])\n"))
        #expect(
            try added(relationship(.many, .many), .two)
                == text.replacing(
                    "  date: AWSDate\n",
                    with: "  date: AWSDate\n  rooms: [Room] @manyToMany(relationName: \"BookingRoom\")\n"
                ).replacing(
                    "  city: String\n",
                    with: "  city: String\n  bookings: [Booking] @manyToMany(relationName: \"BookingRoom\")\n"))
    }

    @Test("a join model has the rules of both sides, or those that are given")
    func joinRules() throws {
        let ruled = text.replacing("@model", with: "@model @auth(rules: [{allow: private}])")
        #expect(
            try edited(ruled, .addRelationship(relationship(.many, .many)), version: .one).contains(
                "type BookingRoom @model @auth(rules: [{allow: private}]) @key"))
        let different = text.replacing("Room @model", with: "Room @model @auth(rules: [{allow: private}])")
        let refused = refusal(of: .addRelationship(relationship(.many, .many)), in: different, version: .one)
        #expect(refused?.code == .invalid)
        #expect(refused?.place != nil)
    }

    @Test("a key field and an index that fit are used, others refuse the relationship")
    func existing() throws {
        let fits = text.replacing("  date: AWSDate\n", with: "  date: AWSDate\n  roomID: ID\n")
        let result = try edited(fits, .addRelationship(relationship(.one, .many)), version: .one)
        #expect(result.contains("  roomID: ID\n  room: Room @connection(fields: [\"roomID\"])\n}"))
        let other = text.replacing("  date: AWSDate\n", with: "  date: AWSDate\n  roomID: Int\n")
        #expect(refusal(of: .addRelationship(relationship(.one, .many)), in: other, version: .one)?.code == .exists)
        let composite = text.replacing(
            "Room @model", with: "Room @model @key(fields: [\"id\", \"city\"])"
        ).replacing("city: String", with: "city: String!")
        #expect(
            refusal(of: .addRelationship(relationship(.one, .many)), in: composite, version: .one)?.code == .notExact)
    }

    @Test("a relationship is removed whole, half, or not while the other half needs it")
    func remove() throws {
        for version in [SchemaEditor.Version.one, .two] {
            for relationship in [
                relationship(.one), relationship(.one, key: "roomID"), relationship(.one, .many), relationship(.many),
                relationship(.one, .one),
            ] {
                let result = try added(relationship, version)
                let removal = Edit.removeRelationship(
                    type: "Booking", field: relationship.field, removingReverse: true, removingKey: true)
                let removed = try edited(result, removal, version: version)
                // In version 1 two unnamed connections are no pair.
                if relationship.reverse != .one || version == .two {
                    #expect(removed == text, "\(relationship)")
                }
            }
        }
        let named = """
            type A @model { id: ID! bs: [B] @connection(name: "AB") }
            type B @model { id: ID! a: A @connection(name: "AB") }

            """
        let refused = refusal(of: .removeRelationship(type: "A", field: "bs"), in: named)
        #expect(refused?.references.map(\.subject) == ["B.a"])
        #expect(
            try edited(named, .removeRelationship(type: "A", field: "bs", removingReverse: true))
                == "type A @model { id: ID! }\ntype B @model { id: ID! }\n")
        #expect(refusal(of: .removeField(type: "A", field: "bs"), in: named)?.code == .referenced)
        #expect(refusal(of: .removeRelationship(type: "A", field: "id"), in: named)?.code == .invalid)
    }

    @Test("a key that something else uses stays")
    func sharedKey() throws {
        let shared = try added(relationship(.one, .many), .one).replacing(
            "fields: [\"roomID\"]) {", with: "fields: [\"roomID\"], queryField: \"q\") {")
        let result = try edited(
            shared, .removeRelationship(type: "Booking", field: "room", removingReverse: true, removingKey: true))
        #expect(result.contains("@key(name: \"byRoom\", fields: [\"roomID\"], queryField: \"q\")"))
        #expect(result.contains("  roomID: ID!\n"))
        #expect(!result.contains("room:"))
    }

    @Test("the type of a relationship and what leads back are checked")
    func invalid() {
        var unnamed = relationship(.one, .many)
        unnamed.reverseField = nil
        #expect(refusal(of: .addRelationship(unnamed), in: text)?.code == .invalid)
        var taken = relationship(.one)
        taken.field = "date"
        #expect(refusal(of: .addRelationship(taken), in: text)?.code == .exists)
        var unknown = relationship(.one)
        unknown.target = "House"
        #expect(refusal(of: .addRelationship(unknown), in: text)?.code == .notFound)
        let change = Edit.changeField(type: "A", field: "b", change: Edit.FieldChange(isList: true))
        #expect(
            refusal(of: change, in: "type A @model { id: ID! b: B @connection }\ntype B @model { id: ID! }")?.code
                == .notExact)
    }
}
