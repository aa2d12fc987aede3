/// Everything that validation refuses, with AppSync's name and words for it, in one table
/// (reference: appsync-protocol, "Validation messages").
///
/// AppSync's engine is graphql-java 9; the names at the end are of its later releases, which refuse what the
/// specification has refused all along. Names of types: a wrapped type prints as `null` where the engine asks the
/// wrapper for its name.
enum Violation {
    case fieldUndefined(field: String, type: String)
    case unknownArgument(String)
    case missingFieldArgument(String)
    case wrongType(argument: String, value: String, problem: String)
    case subSelectionRequired(field: String, type: String)
    case subSelectionNotAllowed(field: String, type: String)
    case unknownType(String)
    case nonInputTypeOnVariable
    case badValueForDefaultArgument(value: String, type: String)
    case defaultForNonNullArgument
    case variableTypeMismatch(type: String, expected: String)
    case undefinedVariable(String)
    case unusedVariable(String)
    case undefinedFragment(String)
    case unusedFragment(String)
    case fragmentCycle
    case inlineFragmentTypeConditionInvalid
    case fragmentTypeConditionInvalid
    case impossibleInlineFragment(type: String, parent: String)
    case impossibleFragment(String, type: String, parent: String)
    case unknownDirective(String)
    case unknownDirectiveArgument(String)
    case misplacedDirective(String)
    case missingDirectiveArgument(String)
    case fieldsConflict(String)
    case anonymousOperationWithOthers
    case operationAfterAnonymous(String)
    case duplicateOperationName(String)
    case nonExecutableDefinition(String)

    case duplicateArgumentName(String)
    case duplicateVariableName(String)
    case duplicateFragmentName(String)
    case duplicateObjectFieldName(String)
    case duplicateDirectiveName(String, node: String)
    case subscriptionMultipleRootFields(String)
    case subscriptionIntrospectionRootField(String, field: String)
    case tooComplex(String)

    /// `Validation error of type <Type>: <description>`, and where the query path is known ` @ '<path>'`.
    func message(path: some Collection<String>) -> String {
        let (type, description) = parts
        let place = path.isEmpty ? "" : " @ '\(path.joined(separator: "/"))'"
        return "Validation error of type \(type): \(description)\(place)"
    }

    private var parts: (type: String, description: String) {
        switch self {
        case .fieldUndefined(let field, let type):
            ("FieldUndefined", "Field '\(field)' in type '\(type)' is undefined")
        case .unknownArgument(let name): ("UnknownArgument", "Unknown field argument \(name)")
        case .missingFieldArgument(let name): ("MissingFieldArgument", "Missing field argument \(name)")
        case .wrongType(let argument, let value, let problem):
            ("WrongType", "argument '\(argument)' with value '\(value)' \(problem)")
        case .subSelectionRequired(let field, let type):
            ("SubSelectionRequired", "Sub selection required for type \(type) of field \(field)")
        case .subSelectionNotAllowed(let field, let type):
            ("SubSelectionNotAllowed", "Sub selection not allowed on leaf type \(type) of field \(field)")
        case .unknownType(let name): ("UnknownType", "Unknown type \(name)")
        case .nonInputTypeOnVariable: ("NonInputTypeOnVariable", "Wrong type for a variable")
        case .badValueForDefaultArgument(let value, let type):
            ("BadValueForDefaultArg", "Bad default value \(value) for type \(type)")
        case .defaultForNonNullArgument: ("DefaultForNonNullArgument", "Missing value for non null type")
        case .variableTypeMismatch(let type, let expected):
            ("VariableTypeMismatch", "Variable type '\(type)' doesn't match expected type '\(expected)'")
        case .undefinedVariable(let name): ("UndefinedVariable", "Undefined variable \(name)")
        case .unusedVariable(let name): ("UnusedVariable", "Unused variable \(name)")
        case .undefinedFragment(let name): ("UndefinedFragment", "Undefined fragment \(name)")
        case .unusedFragment(let name): ("UnusedFragment", "Unused fragment \(name)")
        case .fragmentCycle: ("FragmentCycle", "Fragment cycles not allowed")
        case .inlineFragmentTypeConditionInvalid:
            (
                "InlineFragmentTypeConditionInvalid",
                "Inline fragment type condition is invalid, must be on Object/Interface/Union"
            )
        case .fragmentTypeConditionInvalid:
            // The engine uses the inline fragment's name here too.
            (
                "InlineFragmentTypeConditionInvalid",
                "Fragment type condition is invalid, must be on Object/Interface/Union"
            )
        case .impossibleInlineFragment(let type, let parent):
            (
                "InvalidFragmentType",
                "Fragment cannot be spread here as objects of type \(parent) can never be of type \(type)"
            )
        case .impossibleFragment(let name, let type, let parent):
            (
                "InvalidFragmentType",
                "Fragment \(name) cannot be spread here as objects of type \(parent) can never be of type \(type)"
            )
        case .unknownDirective(let name): ("UnknownDirective", "Unknown directive \(name)")
        case .unknownDirectiveArgument(let name): ("UnknownDirective", "Unknown directive argument \(name)")
        case .misplacedDirective(let name): ("MisplacedDirective", "Directive \(name) not allowed here")
        case .missingDirectiveArgument(let name): ("MissingDirectiveArgument", "Missing directive argument \(name)")
        case .fieldsConflict(let reason): ("FieldsConflict", reason)
        case .anonymousOperationWithOthers:
            ("LoneAnonymousOperationViolation", "Anonymous operation with other operations.")
        case .operationAfterAnonymous(let name):
            ("LoneAnonymousOperationViolation", "Operation \(name) is following anonymous operation.")
        case .duplicateOperationName(let name):
            ("DuplicateOperationName", "There can be only one operation named '\(name)'")
        case .nonExecutableDefinition(let name):
            ("NonExecutableDefinition", "The \(name) definition is not executable.")
        case .duplicateArgumentName(let name):
            ("DuplicateArgumentNames", "There can be only one argument named '\(name)'")
        case .duplicateVariableName(let name):
            ("DuplicateVariableName", "There can be only one variable named '\(name)'")
        case .duplicateFragmentName(let name):
            ("DuplicateFragmentName", "There can be only one fragment named '\(name)'")
        case .duplicateObjectFieldName(let name):
            ("UniqueObjectFieldName", "There can be only one field named '\(name)'")
        case .duplicateDirectiveName(let name, let node):
            (
                "DuplicateDirectiveName",
                "Directives must be uniquely named within a location. The directive '\(name)' used on a '\(node)' is "
                    + "not unique."
            )
        case .subscriptionMultipleRootFields(let name):
            ("SubscriptionMultipleRootFields", "Subscription operation '\(name)' must have exactly one root field")
        case .subscriptionIntrospectionRootField(let name, let field):
            (
                "SubscriptionIntrospectionRootField",
                "Subscription operation '\(name)' root field '\(field)' cannot be an introspection field"
            )
        case .tooComplex(let reason): ("MaxQueryComplexity", reason)
        }
    }
}
