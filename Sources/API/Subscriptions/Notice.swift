import GraphQL
import JSON

/// What an operator should know although every request was answered.
public enum Notice: Sendable, Hashable {
    /// A subscriber selects a field that a mutation has not selected, so it is null in the event. `field` is the path of
    /// names below the subscription field, joined by dots.
    case notSelected(field: String, mutation: String, subscription: String)
}

extension Notice: CustomStringConvertible {
    /// The notice as a sentence.
    public var description: String {
        switch self {
        case .notSelected(let field, let mutation, let subscription):
            "\(subscription) selects '\(field)', which \(mutation) did not select, so it is null in the event; if the "
                + "field is non-null, its parent is null instead. Select it in the mutation, or set "
                + "compatibility.subscriptions to \"fill\"."
        }
    }
}

extension JSONValue {
    /// The fields that a selection asks for and this tree has not, also not as null. Of a list the first element speaks
    /// for all.
    func fields(missingFor shape: JSONShape, _ variables: VariableValues, at path: String = "") -> [String] {
        switch (shape, self) {
        case (.list(let element, _, _), .array(let elements)):
            return elements.first?.fields(missingFor: element, variables, at: path) ?? []
        case (.object(let selections, _), .object(let object)):
            let selection = selections.count == 1 ? selections.first?.value : nil
            return (selection ?? []).flatMap { field -> [String] in
                guard case .property(let name, let shape) = field.resolution, field.isIncluded(variables) else {
                    return []
                }
                guard let member = object[name] else { return [path + name] }
                return member.fields(missingFor: shape, variables, at: path + name + ".")
            }
        default: return []
        }
    }
}
