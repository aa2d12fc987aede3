public import JSON

extension Schema {
    /// Writes a value as a scalar or enum. Spec §6.4.3 CoerceResult. A value that is none throws its reason, for
    /// `GraphQLError.cannotSerialize`, and nothing is written.
    public func completeLeaf(
        _ type: TypeID, _ value: CoercedValue, into writer: inout JSONWriter
    ) throws(ScalarError) {
        switch (self[type].kind, value) {
        case (.scalar(let scalar), _): try scalar.write(value, into: &writer)
        case (.enumeration, .null): writer.writeNull()
        case (.enumeration(let values), .enumValue(let name)), (.enumeration(let values), .string(let name)):
            guard values.contains(where: { $0.name.isExactly(name) }) else { throw unknown(name, in: type) }
            writer.writeString(name)
        case (.enumeration, _): throw unknown(value.json.description, in: type)
        default: preconditionFailure("a type with fields is no leaf")
        }
    }

    private func unknown(_ value: String, in type: TypeID) -> ScalarError {
        ScalarError(reason: "Invalid input for Enum '\(self[type].name)'. Unknown value '\(value)'")
    }
}

/// The errors of completion in AppSync's words, one place for all. Each has the path and no location.
extension GraphQLError {
    /// A leaf that could not be written; the field is null.
    public static func cannotSerialize(_ error: ScalarError, path: [PathElement]) -> GraphQLError {
        completion("Can't serialize value (\(text(of: path))) : \(error.reason)", path)
    }

    /// A null where none may be. The names are those of the unwrapped type and of the object that holds the field.
    public static func nullForNonNull(type: String, parent: String, path: [PathElement]) -> GraphQLError {
        completion(
            "Cannot return null for non-nullable type: '\(type)' within parent '\(parent)' (\(text(of: path)))", path)
    }

    /// Something else where a list has to be.
    public static func listExpected(path: [PathElement]) -> GraphQLError {
        completion("Can't resolve value (\(text(of: path))) : type mismatch error, expected type LIST", path)
    }

    /// Something else where an object has to be.
    public static func objectExpected(path: [PathElement]) -> GraphQLError {
        completion("Can't resolve value (\(text(of: path))) : type mismatch error, expected type OBJECT", path)
    }

    /// An object without a `__typename` where an interface or union has to be.
    public static func unresolvedType(
        _ type: String, field: String, of parent: String, path: [PathElement]
    ) -> GraphQLError {
        completion(
            "Can't resolve '\(text(of: path))'. Abstract type '\(type)' must resolve to an Object type at runtime for "
                + "field '\(parent).\(field)'. Could not determine the exact type of '\(type)'", path)
    }

    /// A field that the caller may not read.
    public static func unauthorized(
        _ field: String, of parent: String, path: [PathElement], location: SourceLocation
    ) -> GraphQLError {
        GraphQLError(
            "Not Authorized to access \(field) on type \(parent)", locations: [location], path: path,
            errorType: "Unauthorized", shape: .resolver)
    }

    private static func completion(_ message: String, _ path: [PathElement]) -> GraphQLError {
        GraphQLError(message, path: path, shape: .completion)
    }

    /// `/syncOrders/items[32]/orderDate`.
    private static func text(of path: [PathElement]) -> String {
        path.map {
            switch $0 {
            case .key(let key): "/\(key)"
            case .index(let index): "[\(index)]"
            }
        }.joined()
    }
}
