import GraphQL
import SchemaEdit
import Transformer

/// The schema that is served, and the configuration that it was read by.
struct ServedSchema: Sendable {
    let configuration: Configuration
    let definition: APIDefinition

    /// Whether it was made of this text.
    func isMade(of text: SchemaText) -> Bool {
        let sources = definition.document.sources
        return sources.count == text.files.count && zip(sources, text.files).allSatisfy { $0.bytes == $1.bytes }
    }
}
