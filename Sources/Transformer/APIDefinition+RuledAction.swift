import GraphQL

extension APIDefinition {
    /// What a field does that the rules of a model are about (reference: authorization, "Decisions").
    public enum RuledAction: Sendable, Hashable {
        /// An operation on the items of the model with this index in `models`.
        case operation(AuthorizationRule.Operation, model: Int)
        /// Reading the items of a model that another item leads to.
        case relation(model: Int)
    }

    /// A generated field of `Subscription`.
    public struct GeneratedSubscription: Sendable, Hashable {
        /// The field's name.
        public var field: String
        /// The index in `models` of the model whose events it delivers.
        public var model: Int
        /// Whether the model's rules are asked of its callers: only with the subscription level `on`.
        public var isRuled: Bool
    }

    /// What a field with this resolver does that rules are about; nil of a function, of a subscription and of a property.
    public func ruledAction(of resolver: Resolver?) -> RuledAction? {
        switch resolver {
        case .getItem(let getItem): .operation(.get, model: getItem.model)
        case .query(let query) where query.kind == .connection: .relation(model: query.model)
        // In version 1 the query of an index is held to the rules of connections.
        case .query(let query) where query.kind == .queryField && transformerVersion == .v1:
            .relation(model: query.model)
        case .query(let query): .operation(.list, model: query.model)
        case .related(let related): .relation(model: related.model)
        case .sync(let model): .operation(.sync, model: model)
        case .createItem(let model): .operation(.create, model: model)
        case .updateItem(let model): .operation(.update, model: model)
        case .deleteItem(let model): .operation(.delete, model: model)
        default: nil
        }
    }

    /// The generated fields of `Subscription`, model by model. One that the author wrote is not generated: the rules of models
    /// are not asked of its callers.
    public var generatedSubscriptions: [GeneratedSubscription] {
        let type = schema.subscriptionType.map { schema[$0].name }
        let written = type.flatMap { declarations.type(named: $0) }?.fields.map(\.name) ?? []
        return models.enumerated().flatMap { index, model -> [GeneratedSubscription] in
            guard let operations = declarations.model(named: model.name)?.operations else { return [] }
            return operations.subscriptions.filter { !written.contains($0.field) }.map {
                GeneratedSubscription(field: $0.field, model: index, isRuled: operations.subscriptionLevel == .on)
            }
        }
    }
}
