import GraphQL
import Testing

/// The acceptance cases 39–68 (reference: appsync-protocol, "Acceptance cases"), and each message of `Violation`
/// (reference: appsync-protocol, "Validation messages").
@Suite("Validation speaks as AppSync does")
struct ValidationMessageTests {
    @Test("with exactly these messages", arguments: cases)
    func message(text: String, expected: [String]) throws { #expect(try messages(text) == expected) }

    @Test("with a location that is the field's, the argument's or the definition's", arguments: located)
    func location(text: String, expected: [Location]) throws {
        #expect(try errors(text).first?.locations == expected)
    }

    @Test("with no path key and no errorType")
    func shape() throws {
        let error = try #require(try errors("{ nope }").first)
        #expect(error.path == nil && error.errorType == nil && error.shape == .request)
    }

    @Test("about all errors, in the order of the text")
    func order() throws {
        let text = """
            query A($u: Int) { one getTodo { two } ...F }
            fragment F on Query { three }
            query A { four }
            """
        #expect(
            try messages(text) == [
                "FieldUndefined: Field 'one' in type 'Query' is undefined @ 'one'",
                "MissingFieldArgument: Missing field argument id @ 'getTodo'",
                "FieldUndefined: Field 'two' in type 'Todo' is undefined @ 'getTodo/two'",
                "UnusedVariable: Unused variable u",
                "FieldUndefined: Field 'three' in type 'Query' is undefined @ 'F/three'",
                "DuplicateOperationName: There can be only one operation named 'A'",
                "FieldUndefined: Field 'four' in type 'Query' is undefined @ 'four'",
            ])
    }

    @Test("with introspection off only __typename is known")
    func introspection() throws {
        let found = try errors("{ __typename __schema { description } }", allowsIntrospection: false)
        #expect(
            found.map(\.message) == [
                "Validation error of type FieldUndefined: Field '__schema' in type 'Query' is undefined @ '__schema'"
            ])
        #expect(try errors("{ __schema { description } __type(name: \"Todo\") { name } }").isEmpty)
    }

    private static let cases: [(String, [String])] = [
        ("{ nope }", ["FieldUndefined: Field 'nope' in type 'Query' is undefined @ 'nope'"]),
        (
            "{ getTodo(id: 1) { owner { nope } } }",
            ["FieldUndefined: Field 'nope' in type 'User' is undefined @ 'getTodo/owner/nope'"]
        ),
        (
            "{ t: getTodo(id: 1) { x: nope } }",
            ["FieldUndefined: Field 'nope' in type 'Todo' is undefined @ 'getTodo/nope'"]
        ),
        ("{ any { id } }", ["FieldUndefined: Field 'id' in type 'Any' is undefined @ 'any/id'"]),
        ("{ getTodo { id } }", ["MissingFieldArgument: Missing field argument id @ 'getTodo'"]),
        ("{ getTodo(id: 1, foo: 2) { id } }", ["UnknownArgument: Unknown field argument foo @ 'getTodo'"]),
        (
            "{ getTodo(id: null) { id } }",
            ["WrongType: argument 'id' with value 'NullValue{}' must not be null @ 'getTodo'"]
        ),
        (
            "{ getTodo(id: 1) }",
            ["SubSelectionRequired: Sub selection required for type Todo of field getTodo @ 'getTodo'"]
        ),
        ("{ bad }", ["SubSelectionRequired: Sub selection required for type null of field bad @ 'bad'"]),
        (
            "{ scal { x } }",
            ["SubSelectionNotAllowed: Sub selection not allowed on leaf type String of field scal @ 'scal'"]
        ),
        (
            "{ bad { id { x } } }",
            ["SubSelectionNotAllowed: Sub selection not allowed on leaf type null of field id @ 'bad/id'"]
        ),
        (
            #"{ scal(i: "x") }"#,
            ["WrongType: argument 'i' with value 'StringValue{value='x'}' is not a valid 'Int' @ 'scal'"]
        ),
        (
            "{ scal(i: 99999999999) }",
            ["WrongType: argument 'i' with value 'IntValue{value=99999999999}' is not a valid 'Int' @ 'scal'"]
        ),
        (
            "{ scal(i: 1.5) }",
            ["WrongType: argument 'i' with value 'FloatValue{value=1.5}' is not a valid 'Int' @ 'scal'"]
        ),
        (
            "{ scal(s: true) }",
            ["WrongType: argument 's' with value 'BooleanValue{value=true}' is not a valid 'String' @ 'scal'"]
        ),
        (
            #"{ scal(c: "RED") }"#,
            ["WrongType: argument 'c' with value 'StringValue{value='RED'}' is not a valid 'Color' @ 'scal'"]
        ),
        (
            "{ scal(c: BLUE) }",
            ["WrongType: argument 'c' with value 'EnumValue{name='BLUE'}' is not a valid 'Color' @ 'scal'"]
        ),
        (
            "{ scal(l: [1, A]) }",
            ["WrongType: argument 'l[1]' with value 'EnumValue{name='A'}' is not a valid 'Int' @ 'scal'"]
        ),
        (
            "{ scal(ll: [[1], [null]]) }",
            ["WrongType: argument 'll[1][0]' with value 'NullValue{}' must not be null @ 'scal'"]
        ),
        (
            #"{ scal(at: "2019-1-1") }"#,
            [
                "WrongType: argument 'at' with value 'StringValue{value='2019-1-1'}' is not a valid 'AWSDateTime' @ 'scal'"
            ]
        ),
        (
            "{ scal(in: 5) }",
            ["WrongType: argument 'in' with value 'IntValue{value=5}' must be an object type @ 'scal'"]
        ),
        (
            #"mutation { createTodo(input: {id: "1"}) { id } }"#,
            [
                "WrongType: argument 'input' with value 'ObjectValue{objectFields=[ObjectField{name='id', value="
                    + "StringValue{value='1'}}]}' is missing required fields '[name]' @ 'createTodo'"
            ]
        ),
        (
            #"mutation { createTodo(input: {name: "n", foo: 1}) { id } }"#,
            [
                "WrongType: argument 'input' with value 'ObjectValue{objectFields=[ObjectField{name='name', value="
                    + "StringValue{value='n'}}, ObjectField{name='foo', value=IntValue{value=1}}]}' contains a field "
                    + "not in 'CreateTodoInput': 'foo' @ 'createTodo'"
            ]
        ),
        (
            #"mutation { createTodo(input: {name: "n", subs: [{x: 1}]}) { id } }"#,
            [
                "WrongType: argument 'input.subs[0].x' with value 'IntValue{value=1}' is not a valid 'String' @ 'createTodo'"
            ]
        ),
        (
            #"query ($n: Int) { scal(in: {name: "n", n: $n, sub: 1, tags: ["a", $n]}) }"#,
            [
                "WrongType: argument 'in.sub' with value 'ObjectValue{objectFields=[ObjectField{name='name', value="
                    + "StringValue{value='n'}}, ObjectField{name='n', value=VariableReference{name='n'}}, ObjectField{"
                    + "name='sub', value=IntValue{value=1}}, ObjectField{name='tags', value=ArrayValue{values=["
                    + "StringValue{value='a'}, VariableReference{name='n'}]}}]}' must be an object type @ 'scal'",
                "VariableTypeMismatch: Variable type 'Int' doesn't match expected type 'String!' @ 'scal'",
            ]
        ),
        ("query ($i: Nope) { scal(i: $i) }", ["UnknownType: Unknown type Nope"]),
        (
            "query ($i: Todo) { scal(i: $i) }",
            [
                "NonInputTypeOnVariable: Wrong type for a variable",
                "VariableTypeMismatch: Variable type 'Todo' doesn't match expected type 'Int' @ 'scal'",
            ]
        ),
        (
            #"query ($i: Int = "x") { scal(i: $i) }"#,
            ["BadValueForDefaultArg: Bad default value StringValue{value='x'} for type Int"]
        ),
        (
            "query ($id: ID) { getTodo(id: $id) { id } }",
            ["VariableTypeMismatch: Variable type 'ID' doesn't match expected type 'ID!' @ 'getTodo'"]
        ),
        (
            "query ($i: Int) { scal(l: $i) }",
            ["VariableTypeMismatch: Variable type 'Int' doesn't match expected type '[Int]' @ 'scal'"]
        ),
        ("{ getTodo(id: $id) { id } }", ["UndefinedVariable: Undefined variable id @ 'getTodo'"]),
        ("query ($x: Int) { any { __typename } }", ["UnusedVariable: Unused variable x"]),
        ("{ ...F }", ["UndefinedFragment: Undefined fragment F"]),
        ("{ bad { ...F } }", ["UndefinedFragment: Undefined fragment F @ 'bad'"]),
        ("{ iamOnly } fragment F on Todo { id }", ["UnusedFragment: Unused fragment F"]),
        (
            "{ bad { ...F } } fragment F on Todo { owner { todos { ...F } } }",
            ["FragmentCycle: Fragment cycles not allowed @ 'F'"]
        ),
        (
            "{ any { ... on Color { x } } }",
            [
                "InlineFragmentTypeConditionInvalid: Inline fragment type condition is invalid, must be on Object/Interface/Union @ 'any'"
            ]
        ),
        (
            "{ ...F } fragment F on Int { x }",
            [
                "InlineFragmentTypeConditionInvalid: Fragment type condition is invalid, must be on Object/Interface/Union @ 'F'"
            ]
        ),
        ("{ any { ... on Nope { x } } }", ["UnknownType: Unknown type Nope @ 'any'"]),
        (
            "{ bad { ... on User { id } } }",
            [
                "InvalidFragmentType: Fragment cannot be spread here as objects of type Todo can never be of type User @ 'bad'"
            ]
        ),
        (
            "{ bad { ...F } } fragment F on User { id }",
            [
                "InvalidFragmentType: Fragment F cannot be spread here as objects of type Todo can never be of type User @ 'bad'"
            ]
        ),
        ("{ iamOnly @foo }", ["UnknownDirective: Unknown directive foo @ 'iamOnly'"]),
        ("{ iamOnly @skip(if: true, unless: 1) }", ["UnknownDirective: Unknown directive argument unless @ 'iamOnly'"]),
        ("query @skip(if: true) { iamOnly }", ["MisplacedDirective: Directive skip not allowed here"]),
        ("{ iamOnly @skip }", ["MissingDirectiveArgument: Missing directive argument if @ 'iamOnly'"]),
        (
            "{ iamOnly @skip(if: 1) }",
            ["WrongType: argument 'if' with value 'IntValue{value=1}' is not a valid 'Boolean' @ 'iamOnly'"]
        ),
        ("{ bad { x: id x: name } }", ["FieldsConflict: x: id and name are different fields @ 'bad'"]),
        ("{ x: scal(i: 1) x: scal(i: 2) }", ["FieldsConflict: x: they have differing arguments"]),
        (
            "{ any { ... on Todo { n } ... on User { n } } }",
            ["FieldsConflict: n: they return differing types Int and String @ 'any'"]
        ),
        (
            "{ any { ... on Todo { name } ... on User { name } } }",
            ["FieldsConflict: name: fields have different nullability shapes @ 'any'"]
        ),
        (
            "{ any { ... on Todo { x: tags } ... on User { x: name } } }",
            ["FieldsConflict: x: fields have different list shapes @ 'any'"]
        ),
        (
            "{ bad { owner { x: id } owner { x: name } } }",
            ["FieldsConflict: owner: (x: id and name are different fields) @ 'bad'"]
        ),
        (
            "{ a: iamOnly } { b: iamOnly }",
            ["LoneAnonymousOperationViolation: Anonymous operation with other operations."]
        ),
        (
            "{ a: iamOnly } query B { iamOnly }",
            ["LoneAnonymousOperationViolation: Operation B is following anonymous operation."]
        ),
        (
            "query A { iamOnly } mutation A { deleteTodo(id: 1) { id } }",
            ["DuplicateOperationName: There can be only one operation named 'A'"]
        ),
        ("{ iamOnly } type Foo { a: Int }", ["NonExecutableDefinition: The Foo definition is not executable."]),
        ("{ scal(i: 1, i: 2) }", ["DuplicateArgumentNames: There can be only one argument named 'i' @ 'scal'"]),
        (
            "query ($x: Int, $x: Int) { scal(i: $x) }",
            ["DuplicateVariableName: There can be only one variable named 'x'"]
        ),
        (
            "{ bad { ...F } } fragment F on Todo { id } fragment F on Todo { n }",
            ["DuplicateFragmentName: There can be only one fragment named 'F'"]
        ),
        (
            #"{ scal(in: {name: "a", name: "b"}) }"#,
            ["UniqueObjectFieldName: There can be only one field named 'name' @ 'scal'"]
        ),
        (
            "{ iamOnly @skip(if: true) @skip(if: false) }",
            [
                "DuplicateDirectiveName: Directives must be uniquely named within a location. The directive 'skip' used "
                    + "on a 'Field' is not unique. @ 'iamOnly'"
            ]
        ),
        (
            "subscription S { onDeleteTodo { id } onCreateTodo { id } }",
            ["SubscriptionMultipleRootFields: Subscription operation 'S' must have exactly one root field"]
        ),
        (
            "subscription S { __typename }",
            [
                "SubscriptionIntrospectionRootField: Subscription operation 'S' root field '__typename' cannot be an introspection field"
            ]
        ),
        // A fragment's variables are charged to the operation that spreads it, along the way to them.
        (
            "query ($id: ID) { bad { owner { ...F } } } fragment F on User { todos(first: $id) { id } }",
            ["VariableTypeMismatch: Variable type 'ID' doesn't match expected type 'Int' @ 'bad/owner/F/todos'"]
        ),
    ]

    private static let located: [(String, [Location])] = [
        ("{ nope }", [Location(line: 1, column: 3)]),
        ("{\n  getTodo { id }\n}", [Location(line: 2, column: 3)]),
        ("{ scal(s: \"\", i: \"x\") }", [Location(line: 1, column: 15)]),
        ("query ($x: Int) { iamOnly }", [Location(line: 1, column: 8)]),
        ("query ($x: [Nope!]) { scal(any: $x) }", [Location(line: 1, column: 13)]),
        ("{ getTodo(id: $id) { id } }", [Location(line: 1, column: 15)]),
        ("{ any { ... on Nope { x } } }", []),
        ("{ bad { ...F } } fragment F on Todo { ...F }", []),
        ("{ bad { x: id x: name } }", [Location(line: 1, column: 9), Location(line: 1, column: 15)]),
        ("{ iamOnly @foo }", [Location(line: 1, column: 11)]),
    ]
}
