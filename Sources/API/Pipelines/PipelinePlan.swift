import GraphQL
import Tables
import Transformer

/// A field that a pipeline answers: its steps, what their events are made of, and how the last result is completed.
final class PipelinePlan: Sendable {
    /// What the event has as `source`.
    enum Parent: Sendable {
        /// A root type: null.
        case root
        /// The row of a model, all of its columns.
        case row([Attribute])
        /// An object in JSON, as the function that gave it or the table has it.
        case object
    }

    /// A column of the parent's row.
    struct Attribute: Sendable {
        let name: String
        let type: ColumnType
        let position: Int
    }

    /// An argument of the field's definition.
    struct Argument: Sendable {
        let name: String
        let type: GraphQLType
        /// Whether the document gives it, so that a variable without a value is null instead of absent.
        let isWritten: Bool
    }

    let steps: [PipelineStep]
    let typeName: String
    let fieldName: String
    let parent: Parent
    let template: ArgumentTemplate
    let arguments: [Argument]
    let shape: JSONShape
    /// Where a mutation's result is published; nil when no subscription follows the field.
    let topic: Topic?

    init(
        steps: [PipelineStep], typeName: String, fieldName: String, parent: Parent, template: ArgumentTemplate,
        arguments: [Argument], shape: JSONShape, topic: Topic?
    ) {
        self.steps = steps
        self.typeName = typeName
        self.fieldName = fieldName
        self.parent = parent
        self.template = template
        self.arguments = arguments
        self.shape = shape
        self.topic = topic
    }
}
