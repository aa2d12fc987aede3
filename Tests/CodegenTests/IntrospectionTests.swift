import JSON
import Testing

@testable import Codegen

@Suite("Model introspection")
struct IntrospectionTests {
    private func object(_ schema: String, _ profile: CodegenProfile = .v2) throws -> JSONValue {
        let files = try generatedFiles(schema, .introspection, CodegenOptions(profile))
        #expect(files.map(\.name) == ["model-introspection.json"])
        return try JSONReader.read(files[0].text)
    }

    @Test("a model has its fields, attributes, associations and key, indented by four spaces")
    func model() throws {
        let files = try generatedFiles(
            "type Todo @model @auth(rules: [{ allow: owner }]) { id: ID! title: String tags: [String!]! }",
            .introspection,
            CodegenOptions(.v2))
        #expect(
            files[0].text.hasPrefix(
                """
                {
                    "version": 1,
                    "models": {
                        "Todo": {
                            "name": "Todo",
                            "fields": {
                                "id": {
                                    "name": "id",
                                    "isArray": false,
                                    "type": "ID",
                                    "isRequired": true,
                                    "attributes": []
                                },
                """))
        let todo = try JSONReader.read(files[0].text)["models"]?["Todo"]
        #expect(todo?["fields"]?["tags"]?["isArrayNullable"] == false)
        #expect(todo?["fields"]?["createdAt"]?["isReadOnly"] == true)
        #expect(todo?["syncable"] == true && todo?["pluralName"] == "Todos")
        let rule: JSONValue = [
            "provider": "userPools", "ownerField": "owner", "allow": "owner", "identityClaim": "cognito:username",
            "operations": ["create", "update", "delete", "read"],
        ]
        #expect(
            todo?["attributes"] == [
                ["type": "model", "properties": [:]], ["type": "auth", "properties": ["rules": [rule]]],
            ])
        #expect(
            todo?["primaryKeyInfo"] == [
                "isCustomPrimaryKey": false, "primaryKeyFieldName": "id", "sortKeyFieldNames": [],
            ])
    }

    @Test("foreign keys are seen, and a list without an index gets the key that amplify-js expects")
    func relations() throws {
        let models = try object(
            """
            type Post @model { id: ID! comments: [Comment] @hasMany notes: [Note] @hasMany }
            type Comment @model { id: ID! post: Post @belongsTo }
            type Note @model { id: ID! code: String @index(name: "byCode", queryField: "notesByCode") }
            """)["models"]
        let post = models?["Post"]?["fields"]
        #expect(
            post?["comments"]?["association"] == ["connectionType": "HAS_MANY", "associatedWith": ["postCommentsId"]])
        #expect(
            models?["Comment"]?["fields"]?["post"]?["association"] == [
                "connectionType": "BELONGS_TO", "targetNames": ["postCommentsId"],
            ])
        #expect(models?["Comment"]?["fields"]?["postCommentsId"] != nil)
        #expect(
            models?["Note"]?["attributes"] == [
                ["type": "model", "properties": [:]],
                ["type": "key", "properties": ["name": "byCode", "queryField": "notesByCode", "fields": ["code"]]],
                ["type": "key", "properties": ["name": "gsi-Post.notes", "fields": ["postNotesId"]]],
            ])
    }

    @Test("enums, embedded types, operations and inputs are listed")
    func others() throws {
        let value = try object(
            """
            type Query { find(filter: Filter!, states: [state_kind]): [Place!] @function(name: "find") }
            input Filter { text: String! inner: Filter }
            type Item @model { id: ID! place: Place state: state_kind }
            type Place { lat: Float! }
            enum state_kind { OPEN closed }
            """)
        #expect(value["enums"] == ["StateKind": ["name": "StateKind", "values": ["OPEN", "closed"]]])
        #expect(value["nonModels"]?["Place"]?["fields"]?["lat"]?["isRequired"] == true)
        #expect(value["models"]?["Item"]?["fields"]?["state"]?["type"] == ["enum": "StateKind"])
        let find = value["queries"]?["find"]
        #expect(find?["type"] == ["nonModel": "Place"] && find?["isArray"] == true)
        #expect(find?["arguments"]?["filter"]?["type"] == ["input": "Filter"])
        #expect(value["inputs"]?["Filter"]?["attributes"]?["inner"]?["type"] == ["input": "Filter"])
        #expect(value["mutations"] == nil)
    }
}
