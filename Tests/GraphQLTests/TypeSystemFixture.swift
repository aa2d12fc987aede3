import GraphQL
import JSON
import Testing

/// GraphQL's, for swift-testing has one too.
typealias Location = GraphQL.SourceLocation

/// The schema of the acceptance cases (reference: appsync-protocol, "Acceptance cases"), with what its cases need
/// besides.
let fixture: Schema = {
    let (document, errors) = Parser.parseTypeSystem([Source(fixtureText, name: "fixture.graphql")])
    precondition(errors.isEmpty, "the fixture is well-formed")
    do { return try SchemaBuilder.build(from: document) } catch { preconditionFailure("\(error)") }
}()

private let fixtureText = """
    type Query {
      getTodo(id: ID!): Todo
      listTodos(limit: Int, filter: TodoFilter): TodoConnection
      bad: Todo!
      badInt: Todo
      scal(
        s: String, i: Int, f: Float, b: Boolean, id: ID, c: Color, at: AWSDateTime, d: AWSDate, j: AWSJSON,
        p: AWSPhone, l: [Int], ll: [[Int!]!], ts: AWSTimestamp, any: Anything, req: Int! = 3, in: CreateTodoInput
      ): String
      any: Any
      node: Node
      user: User
      iamOnly: String @aws_iam
    }
    type Mutation {
      createTodo(input: CreateTodoInput!): Todo
      deleteTodo(id: ID!): Todo
    }
    type Subscription {
      onCreateTodo(owner: String, name: String): Todo @aws_subscribe(mutations: ["createTodo"])
      onDeleteTodo: Todo @aws_subscribe(mutations: ["deleteTodo"])
    }
    interface Node { id: ID! }
    union Any = Todo | User
    type Todo implements Node @aws_api_key @aws_iam {
      id: ID!
      name: String!
      n: Int
      owner: User
      color: Color
      at: AWSDateTime
      tags: [String!]
      "Beside the point."
      old: Int @deprecated(reason: "Use n.")
    }
    type User implements Node { id: ID! n: String name: String todos(first: Int): [Todo!] }
    type TodoConnection { items: [Todo]! nextToken: String }
    enum Color { RED GREEN }
    scalar Anything @specifiedBy(url: "https://example.com/anything")
    input CreateTodoInput {
      id: ID
      name: String!
      n: Int
      owner: String
      color: Color = RED
      at: AWSDateTime
      sub: Sub
      subs: [Sub!]
      tags: [String!]
    }
    input Sub { x: String! y: Int! = 7 }
    input TodoFilter { name: String and: [TodoFilter] not: TodoFilter }
    """

/// The schema of a text, or its faults as `line:column message hint`.
func schemaFaults(_ text: String, requiresQuery: Bool = true) -> [String] {
    let (document, errors) = Parser.parseTypeSystem([Source(text)])
    guard errors.isEmpty else { return errors.map(\.description) }
    return SchemaValidation.errors(in: document, requiresQuery: requiresQuery).map { error in
        let location = document.location(of: error.place).map { "\($0.line):\($0.column) " } ?? ""
        return location + error.description
    }
}

/// The messages of a document's validation.
func messages(_ text: String) throws -> [String] {
    try errors(text).map { $0.message.replacing("Validation error of type ", with: "") }
}

func errors(_ text: String, allowsIntrospection: Bool = true) throws -> [GraphQLError] {
    Validate.validate(try Parser.parse(Source(text)), fixture, allowsIntrospection: allowsIntrospection)
}

/// The operation of a valid document.
func operation(_ text: String, named name: String? = nil) throws -> Operation {
    let document = try Parser.parse(Source(text))
    let errors = Validate.validate(document, fixture)
    try #require(errors.isEmpty, "\(errors.map(\.message))")
    return try Operation(document, named: name, schema: fixture)
}

func json(_ text: String) throws -> JSONValue { try JSONReader.read(text) }

// Lookups by text, one name after the other: what the schema's index is compared with.

extension ObjectType {
    /// The position of a field in `fields`.
    func field(named name: String) -> Int? { fields.firstIndex { $0.name == name } }
}

extension Schema {
    /// The field that a selection of this name has on a type; unions have `__typename` alone.
    func field(named name: String, of type: TypeID) -> FieldReference? {
        switch name {
        case "__typename": self[type].isComposite ? .typename : nil
        case "__schema": type == queryType ? .schema : nil
        case "__type": type == queryType ? .type : nil
        default: self[type].fields?.field(named: name).map(FieldReference.field)
        }
    }
}
