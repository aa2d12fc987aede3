import GraphQL

/// An error met while a field was completed (GraphQL spec §6.4.4), in AppSync's shapes B and C
/// (reference: appsync-protocol, "Error objects").
///
/// Its path is collected on the way back: the completion of each list or object adds its own element, so nothing is
/// kept for fields that succeed.
struct FieldError: Error, Sendable {
    enum Cause: Sendable {
        /// A resolver refused: it has a type, and the field's place in the document.
        case resolver(ResolverError, SourceLocation)
        /// A variable brought a null to where none may be.
        case arguments(GraphQLError)
        /// A Non-Null position came out null.
        case null(type: String, parent: String)
        /// A value that the field's type cannot print.
        case unserializable(ScalarError)
        case listExpected
        case objectExpected
        /// A value of an interface or union that does not say which object type it is.
        case unresolvedType(String, field: String, of: String)
    }

    var cause: Cause
    /// From the innermost element to the root.
    var reversedPath: [PathElement] = []

    /// AppSync's `errorType`, or what AppSync's shape of the error is called where it has none
    /// (reference: appsync-protocol, "Error objects").
    var errorType: String {
        switch cause {
        case .resolver(let error, _): error.errorType ?? "resolver"
        case .arguments(let error): error.errorType ?? "request"
        case .null, .unserializable, .listExpected, .objectExpected, .unresolvedType: "completion"
        }
    }

    /// The error as the response shows it.
    var graphQLError: GraphQLError {
        let path = Array(reversedPath.reversed())
        switch cause {
        case .resolver(let error, let location):
            return GraphQLError(
                error.message, locations: [location], path: path, errorType: error.errorType, data: error.data,
                shape: .resolver)
        case .arguments(var error):
            error.path = path
            return error
        case .null(let type, let parent): return .nullForNonNull(type: type, parent: parent, path: path)
        case .unserializable(let error): return .cannotSerialize(error, path: path)
        case .listExpected: return .listExpected(path: path)
        case .objectExpected: return .objectExpected(path: path)
        case .unresolvedType(let type, let field, let parent):
            return .unresolvedType(type, field: field, of: parent, path: path)
        }
    }
}
