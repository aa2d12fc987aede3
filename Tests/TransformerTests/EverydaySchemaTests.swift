import GraphQL
import Tables
import Testing

@testable import Transformer

/// Shapes that are common in people's schemas and rare in examples.
@Suite("Schemas as people write them, version 2")
struct EverydaySchemaTests {
    @Test(
        "acronyms, underscores, digits and irregular plurals go into names as they are",
        arguments: [
            ("URLThing", "listURLThings", "uRLThingsBySize_1", "uRLThingPartsId"),
            ("iOSDevice", "listIOSDevices", "iOSDevicesBySize_1", "iOSDevicePartsId"),
            ("api_key", "listApi_keys", "api_keysBySize_1", "api_keyPartsId"),
            ("S3Object", "listS3Objects", "s3ObjectsBySize_1", "s3ObjectPartsId"),
            ("Box2", "listBox2s", "box2sBySize_1", "box2PartsId"),
            ("UserFB", "listUserFBS", "userFBSBySize_1", "userFBPartsId"),
            ("Person", "listPeople", "peopleBySize_1", "personPartsId"),
            ("Category", "listCategories", "categoriesBySize_1", "categoryPartsId"),
            ("Status", "listStatuses", "statusesBySize_1", "statusPartsId"),
            ("Address", "listAddresses", "addressesBySize_1", "addressPartsId"),
            ("Data", "listData", "dataBySize_1", "dataPartsId"),
            ("Sheep", "listSheep", "sheepBySize_1", "sheepPartsId"),
        ])
    func names(type: String, list: String, query: String, key: String) throws {
        let definition = try definition(
            "type \(type) @model { id: ID! size_1: Int @index parts: [\(type)] @hasMany whole: \(type) @belongsTo }")
        let upper = type.prefix(1).uppercased() + type.dropFirst()
        #expect(definition.text(of: "Query", field: "get\(upper)") == "get\(upper)(id: ID!): \(type)")
        for field in [list, query] {
            #expect(
                definition.text(of: "Query", field: field)?.hasSuffix("): Model\(upper)Connection") == true, "\(field)")
            #expect(definition.resolver(type: "Query", field: field) != nil)
        }
        #expect(definition.text(of: "Create\(upper)Input", field: key) == "\(key): ID")
        #expect(
            definition.resolver(type: type, field: "whole") == .related(RelatedItem(model: 0, columns: [key])),
            "a model belongs to itself by the key of its own list")
        try definition.expectIsConsistent()
    }

    @Test(
        "@belongsTo uses the first of several relations to one model; each has its own key",
        arguments: [
            (
                "lead: Person @hasOne deputy: Person @hasOne members: [Person] @hasMany", "personTeamId",
                ["teamMembersId"]
            ),
            (
                "members: [Person] @hasMany guests: [Person!]! @hasMany lead: Person @hasOne", "teamMembersId",
                ["teamGuestsId"]
            ),
        ])
    func severalRelations(fields: String, column: String, others: [String]) throws {
        let definition = try definition(
            "type Team @model { id: ID! \(fields) } type Person @model { id: ID! team: Team @belongsTo }")
        let columns = try #require(definition.table("Person")).columns.map(\.name)
        #expect(Set(columns) == Set(["id", column, "createdAt", "updatedAt"] + others))
        #expect(
            definition.resolver(type: "Person", field: "team") == .related(RelatedItem(model: 0, columns: [column])))
        #expect(definition.text(of: "Team", field: "teamLeadId") == "teamLeadId: ID")
        try definition.expectIsConsistent()
    }

    @Test("a key of an enum and a date is referred to by an enum and a date")
    func enumKey() throws {
        let definition = try definition(
            """
            enum Kind { A B }
            type Shift @model {
              kind: Kind! @primaryKey(sortKeyFields: ["day"]) day: AWSDate! workers: [Worker] @hasMany
            }
            type Worker @model { id: ID! shift: Shift @belongsTo }
            """)
        #expect(definition.text(of: "Worker", field: "shiftWorkersKind") == "shiftWorkersKind: Kind")
        #expect(definition.text(of: "CreateWorkerInput", field: "shiftWorkersDay") == "shiftWorkersDay: AWSDate")
        #expect(
            definition.text(of: "ModelWorkerFilterInput", field: "shiftWorkersKind")
                == "shiftWorkersKind: ModelKindInput")
        #expect(
            definition.text(of: "ModelSubscriptionShiftFilterInput", field: "shiftWorkersKind")
                == "shiftWorkersKind: ModelSubscriptionStringInput")
        try definition.expectIsConsistent()
    }

    @Test(
        "the error of a sort field that @model adds asks to declare it",
        arguments: [
            "type P @model { id: ID! a: ID @index(sortKeyFields: [\"createdAt\"]) }",
            "type P @model { a: ID! @primaryKey(sortKeyFields: [\"createdAt\"]) }",
            "type P @model @key(name: \"byA\", fields: [\"a\", \"createdAt\"]) { id: ID! a: ID }",
        ])
    func undeclaredDates(schema: String) {
        #expect(refusal(schema).map(\.hint) == ["Declare it: createdAt: AWSDateTime!"])
    }
}
