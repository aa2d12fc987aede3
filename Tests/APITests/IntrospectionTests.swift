import JSON
import Testing

@testable import API

@Suite("Introspection through the API", .bothExecutors) struct IntrospectionTests {
    /// The query that GraphiQL and code generators send.
    static let full = """
        query IntrospectionQuery {
          __schema {
            queryType { name }
            mutationType { name }
            subscriptionType { name }
            types { ...FullType }
            directives { name description locations args { ...InputValue } }
          }
        }
        fragment FullType on __Type {
          kind name description
          fields(includeDeprecated: true) { name description args { ...InputValue } type { ...TypeRef } isDeprecated deprecationReason }
          inputFields { ...InputValue }
          interfaces { ...TypeRef }
          enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
          possibleTypes { ...TypeRef }
        }
        fragment InputValue on __InputValue { name description type { ...TypeRef } defaultValue }
        fragment TypeRef on __Type {
          kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name
            ofType { kind name ofType { kind name } } } } } } }
        }
        """

    @Test("the whole schema: roots, and every type that is referred to is there")
    func whole() throws {
        let service = try Service(Schemas.chat)
        let answer = try service.run(Self.full)
        #expect(answer["errors"] == nil)
        let schema = answer["data"]?["__schema"]
        #expect(schema?["queryType"]?["name"] == "Query")
        #expect(schema?["mutationType"]?["name"] == "Mutation")
        #expect(schema?["subscriptionType"]?["name"] == "Subscription")
        let types = schema?["types"]?.arrayValue ?? []
        let names = Set(types.compactMap { $0["name"]?.stringValue })
        #expect(names.count == types.count)
        #expect(
            names.isSuperset(of: [
                "User", "ModelUserConnection", "CreateUserInput", "ModelStringInput", "AWSDateTime", "String",
                "Boolean", "__Schema",
            ]))
        func check(_ reference: JSONValue, _ place: String) {
            if let name = reference["name"]?.stringValue { #expect(names.contains(name), "\(place)") }
            if let inner = reference["ofType"], inner != .null { check(inner, place) }
        }
        for type in types {
            let name = type["name"]?.stringValue ?? "?"
            for field in type["fields"]?.arrayValue ?? [] {
                check(field["type"] ?? .null, "\(name).\(field["name"] ?? .null)")
                for argument in field["args"]?.arrayValue ?? [] { check(argument["type"] ?? .null, "\(name) argument") }
            }
            for field in type["inputFields"]?.arrayValue ?? [] { check(field["type"] ?? .null, "\(name) input") }
        }
        let directives = schema?["directives"]?.arrayValue?.compactMap { $0["name"]?.stringValue } ?? []
        #expect(Set(directives).isSuperset(of: ["skip", "include", "deprecated"]))
    }

    @Test("__type answers one type by a constant or variable name, beside data")
    func type() throws {
        let service = try Service(Schemas.cashFlow)
        try service.expect(
            #"query Q($n: String!) { a: __type(name: "Account") { kind name fields { name type { kind name ofType { kind name } } } } "#
                + #"b: __type(name: $n) { inputFields { name type { name ofType { name } } } } none: __type(name: "No") { name } listAccounts { items { id } } }"#,
            #"{"n": "UpdateAccountInput"}"#,
            data:
                #"{"a":{"kind":"OBJECT","name":"Account","fields":[{"name":"id","type":{"kind":"NON_NULL","name":null,"ofType":"#
                + #"{"kind":"SCALAR","name":"ID"}}},{"name":"balance","type":{"kind":"NON_NULL","name":null,"ofType":"#
                + #"{"kind":"SCALAR","name":"Float"}}},{"name":"createdAt","type":{"kind":"NON_NULL","name":null,"ofType":"#
                + #"{"kind":"SCALAR","name":"AWSDateTime"}}},{"name":"updatedAt","type":{"kind":"NON_NULL","name":null,"ofType":"#
                + #"{"kind":"SCALAR","name":"AWSDateTime"}}}]},"b":{"inputFields":[{"name":"id","type":{"name":null,"ofType":"#
                + #"{"name":"ID"}}},{"name":"balance","type":{"name":"Float","ofType":null}}]},"none":null,"listAccounts":{"items":[]}}"#
        )
    }

    @Test("its own names, enumerations, unions and interfaces")
    func kinds() throws {
        let service = try Service(FunctionTests.schema)
        try service.expect(
            """
            { __schema { __typename queryType { __typename } }
              color: __type(name: "Color") { kind enumValues { name isDeprecated } }
              any: __type(name: "Any") { kind possibleTypes { name } fields { name } }
              shape: __type(name: "Shape") { kind possibleTypes { name } }
              circle: __type(name: "Circle") { interfaces { name } }
              meta: __type(name: "__TypeKind") { kind } }
            """,
            data: #"{"__schema":{"__typename":"__Schema","queryType":{"__typename":"__Type"}},"#
                + #""color":{"kind":"ENUM","enumValues":[{"name":"RED","isDeprecated":false},{"name":"GREEN","isDeprecated":false}]},"#
                + #""any":{"kind":"UNION","possibleTypes":[{"name":"Circle"},{"name":"Point"}],"fields":null},"#
                + #""shape":{"kind":"INTERFACE","possibleTypes":[{"name":"Circle"},{"name":"Square"}]},"#
                + #""circle":{"interfaces":[{"name":"Shape"}]},"meta":{"kind":"ENUM"}}"#)
    }

    @Test("@skip and @include hold inside introspection")
    func inclusion() throws {
        let service = try Service(Schemas.cashFlow)
        try service.expect(
            "query Q($v: Boolean!) { __type(name: \"Account\") { name @skip(if: $v) kind } __schema @include(if: false) { __typename } }",
            #"{"v": true}"#, data: #"{"__type":{"kind":"OBJECT"}}"#)
    }
}
