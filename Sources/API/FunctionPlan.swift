import GraphQL

/// A root field that a function answers with JSON.
final class FunctionPlan: Sendable {
    let arguments: ArgumentTemplate
    let shape: JSONShape
    let function: FieldFunction
    /// Where its events go; nil when no subscription follows the field.
    let topic: Topic?

    init(arguments: ArgumentTemplate, shape: JSONShape, function: @escaping FieldFunction, topic: Topic?) {
        self.arguments = arguments
        self.shape = shape
        self.function = function
        self.topic = topic
    }
}
