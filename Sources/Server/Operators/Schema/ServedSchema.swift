import GraphQL
import SchemaEdit
import Transformer

/// The schema that is served, and the configuration that it was read by.
struct ServedSchema: Sendable {
    let configuration: Configuration
    let definition: APIDefinition
    /// The files that it was made of; none where no GraphQL API is served.
    let text: SchemaText

    init(configuration: Configuration, definition: APIDefinition) {
        (self.configuration, self.definition) = (configuration, definition)
        let folder = SchemaFolder(configuration)
        if configuration.schema.isOff {
            text = SchemaText()
        } else if FirstSchema.isServed(as: definition) {
            // What is served for files without definitions is not made of them.
            text = (try? folder.read()) ?? SchemaText()
        } else {
            text = SchemaText(
                definition.document.sources.map { SchemaFile(name: folder.name(of: $0.name), bytes: $0.bytes) })
        }
    }

    /// Whether it was made of this text.
    func isMade(of text: SchemaText) -> Bool {
        self.text.files.count == text.files.count
            && zip(self.text.files, text.files).allSatisfy { $0.bytes == $1.bytes }
    }
}
