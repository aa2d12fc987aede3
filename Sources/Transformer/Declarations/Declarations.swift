import GraphQL

/// What the author of a schema declared with directives, as values: the first step of a transform
/// (reference: transformer, "Transform"). Generation and binding read them, and `APIDefinition` keeps them.
///
/// Both versions are read into the same terms. Defaults are resolved: a rule names its provider, an index its name, a
/// model the fields of its operations. What is not of its argument's type is left out, which validation reports.
/// Interfaces, unions, scalars and input types are in the document alone.
public struct Declarations: Sendable, Hashable {
    /// The version of the transformer that the schema is written for, `v1` or `v2`.
    public let version: TransformOptions.TransformerVersion
    /// The types with `@model`, in document order.
    public let models: [ModelDeclaration]
    /// The other object types, in document order: nested types and root types.
    public let types: [TypeDeclaration]
    /// The enums, in document order.
    public let enumerations: [EnumerationDeclaration]
    /// The interfaces, whose relations are an error.
    let interfaces: [TypeDeclaration]
    /// What the directives were read with.
    let options: TransformOptions
    /// The names of the root types that differ from the usual ones.
    let rootTypes: [OperationTypeDefinition]

    /// All rules in document order: those of a type, then those of its fields. The models come first.
    public var rules: [AuthorizationRule] {
        models.flatMap { $0.rules + $0.fields.flatMap(\.rules) } + types.flatMap { $0.fields.flatMap(\.rules) }
    }

    /// The model of this name.
    public func model(named name: String) -> ModelDeclaration? { models.first { $0.name == name } }

    /// The other object type of this name.
    public func type(named name: String) -> TypeDeclaration? { types.first { $0.name == name } }
}

extension Declarations {
    /// Reads the directives of a schema that is of this version.
    init(
        _ declared: DeclaredSchema, version: TransformOptions.TransformerVersion, options: TransformOptions
    ) {
        self =
            version == .v2
            ? Declarations(declared, by: VersionTwoReader(options: options, declared: declared))
            : Declarations(declared, by: VersionOneReader(options: options, declared: declared))
    }

    private init(_ declared: DeclaredSchema, by reader: some DeclarationReader) {
        var models: [ModelDeclaration] = []
        var types: [TypeDeclaration] = []
        var enumerations: [EnumerationDeclaration] = []
        var interfaces: [TypeDeclaration] = []
        for type in declared.types {
            switch type {
            case .object(let type):
                if let model = reader.model(type) {
                    models.append(model)
                } else {
                    types.append(reader.type(type))
                }
            case .interface(let type): interfaces.append(reader.type(type))
            case .enumeration(let type):
                enumerations.append(EnumerationDeclaration(name: type.name, values: type.values.map(\.name)))
            case .scalar, .union, .inputObject: break
            }
        }
        version = reader.version
        self.models = models
        self.types = types
        self.enumerations = enumerations
        self.interfaces = interfaces
        options = reader.options
        rootTypes = [
            (OperationType.query, declared.queryName, "Query"), (.mutation, declared.mutationName, "Mutation"),
            (.subscription, declared.subscriptionName, "Subscription"),
        ].filter { $1 != $2 }.map { operation, name, _ in OperationTypeDefinition(operation: operation, typeName: name)
        }
    }
}
