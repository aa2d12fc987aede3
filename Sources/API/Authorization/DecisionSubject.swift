import Transformer

/// What a plan asks of the rules: what is done, with which model or field. It depends on the operation alone, so a plan has
/// a list of those that its fields need, each once, and every request decides them all before it begins.
///
/// Models are given by their places in the definition.
enum DecisionSubject: Sendable, Hashable {
    /// A field of a root type, of a nested type or of a page, which static rules are about.
    case field(FieldCoordinate)
    /// A field of a model's item that not everyone may read who may read the item.
    case check(model: Int, field: String)
    /// An operation on the items of a model.
    case operation(AuthorizationRule.Operation, model: Int)
    /// Reading the items of a model that another item leads to.
    case relation(model: Int)

    /// What a field's resolver does.
    init(_ action: APIDefinition.RuledAction) {
        switch action {
        case .operation(let operation, let model): self = .operation(operation, model: model)
        case .relation(let model): self = .relation(model: model)
        }
    }

    /// The model whose rules are asked; nil of a field's own.
    var model: Int? {
        switch self {
        case .field: nil
        case .check(let model, _), .operation(_, let model), .relation(let model): model
        }
    }
}
