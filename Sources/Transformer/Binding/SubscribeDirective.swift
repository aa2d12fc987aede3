import GraphQL

// `@aws_subscribe(mutations:)`: which fields of `Mutation` a field of `Subscription` follows
// (reference: appsync-protocol, "Subscriptions and mutations").

extension TransformContext {
    /// AppSync: a subscription field takes at most five arguments.
    private static let argumentCountMax = 5

    /// The fields of `Subscription` with `@aws_subscribe`, generated or written by hand.
    mutating func resolveSubscriptions() {
        let written = declared.object(named: declared.subscriptionName)
        for field in type(named: declared.subscriptionName)?.object?.fields ?? [] {
            guard let directive = field.directive(named: "aws_subscribe") else { continue }
            let mutations = (directive["mutations"]?.listCoercedValue ?? []).compactMap(\.stringValue)
            if written?.field(named: field.name) != nil { validate(field, following: mutations, by: directive) }
            resolvers[FieldName(type: declared.subscriptionName, field: field.name)] = .subscription(
                mutations: mutations)
        }
        warnOfMisplacedSubscribe()
    }

    /// An event is the result of a mutation field, so the two must be of one type; it may come out null; and what is
    /// compared with an argument is a leaf.
    private mutating func validate(
        _ field: FieldDefinition, following mutations: [String], by directive: DirectiveNode
    ) {
        let name = "\(declared.subscriptionName).\(field.name)"
        let followed = type(named: declared.mutationName)?.object?.fields ?? []
        for mutation in mutations {
            guard let definition = followed.first(where: { $0.name == mutation }) else {
                diagnostics.report(
                    .invalidDirective, "\(name) follows '\(mutation)', which is no field of \(declared.mutationName).",
                    at: directive.place, hint: SuggestionList.hint(for: mutation, among: followed.map(\.name)))
                continue
            }
            guard definition.type.nullable != field.type.nullable else { continue }
            diagnostics.report(
                .invalidDirective,
                "\(name) is of type \(field.type), and '\(mutation)', which it follows, of type \(definition.type).",
                at: directive.place, hint: "Declare \(field.name): \(definition.type.nullable).")
        }
        if field.type.isNonNull {
            diagnostics.report(
                .invalidDirective, "\(name) follows mutations and cannot be of the non-null type \(field.type).",
                at: field.place, hint: "Declare \(field.name): \(field.type.nullable).")
        }
        for argument in field.arguments {
            guard argument.type.isList || !isLeaf(argument.type.namedType) else { continue }
            diagnostics.report(
                .invalidDirective, "\(name)(\(argument.name):) cannot be of type \(argument.type).",
                at: argument.place ?? field.place,
                hint: "An argument is compared with the field of its name: give it a scalar or an enum.")
        }
        if field.arguments.count > Self.argumentCountMax {
            diagnostics.report(
                .invalidDirective, "\(name) has \(field.arguments.count) arguments.", at: field.place,
                hint: "A subscription takes at most \(Self.argumentCountMax).")
        }
    }

    /// Whether a type is a scalar or an enum; what is not among the document's own types is a scalar of the service.
    private func isLeaf(_ name: String) -> Bool {
        switch type(named: name) {
        case nil, .scalar, .enumeration: true
        case .object, .interface, .union, .inputObject: false
        }
    }

    private mutating func warnOfMisplacedSubscribe() {
        for case .object(let type) in declared.types where type.name != declared.subscriptionName {
            for field in type.fields {
                guard let directive = field.directive(named: "aws_subscribe") else { continue }
                diagnostics.warn(
                    "@aws_subscribe on \(type.name).\(field.name) has no effect.", at: directive.place,
                    hint: "It belongs on the fields of \(declared.subscriptionName).")
            }
        }
    }
}
