import Transformer

/// What a plan needs authorization for: an action on a model or field. It depends on the operation alone, so a plan has
/// a list of its subjects without duplicates, and every request decides all of them before it starts.
///
/// Models are indices into the definition.
enum DecisionSubject: Sendable, Hashable {
    /// A field of a root type, a nested type or a connection type that has static rules.
    case field(FieldCoordinate)
    /// A checked field: not every reader of the model's items may read it.
    case check(model: Int, field: String)
    /// An operation on the items of a model.
    case operation(AuthorizationRule.Operation, model: Int)
    /// Reading the items of a model through a relation.
    case relation(model: Int)

    /// What a field's resolver does.
    init(_ action: APIDefinition.RuledAction) {
        switch action {
        case .operation(let operation, let model): self = .operation(operation, model: model)
        case .relation(let model): self = .relation(model: model)
        }
    }

    /// The model whose rules decide; nil for a field with its own rules.
    var model: Int? {
        switch self {
        case .field: nil
        case .check(let model, _), .operation(_, let model), .relation(let model): model
        }
    }
}
