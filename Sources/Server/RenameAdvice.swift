import GraphQL
import Tables
import Transformer

/// What to do about something that seems to have been renamed.
struct RenameAdvice {
    let definition: APIDefinition
    let version: TransformOptions.TransformerVersion
    /// The schema as its author wrote it.
    let document: TypeSystemDocument

    init(_ definition: APIDefinition, _ sources: [Source], options: TransformOptions) {
        self.definition = definition
        version = DirectiveReport(of: sources, options: options).transformerVersion
        document = Parser.parseTypeSystem(sources).document
    }

    /// What to write, or run, for each, as a sentence. A renamed model of version 2 has foreign keys named after it, which
    /// `@mapsTo` takes care of: they are spoken of when nothing else is left.
    func sentences(for renames: [Rename]) -> [String] {
        let tables = renames.filter { if case .table = $0 { true } else { false } }
        return (version == .v2 && !tables.isEmpty ? tables : renames).compactMap(sentence)
    }

    private func sentence(for rename: Rename) -> String? {
        switch rename {
        case .table(let old, let new):
            guard let model = model(ofTable: new) else { return nil }
            let begin = "The model \(model.name) has no items, and the table \(old) is like it. If it was renamed, "
            if version == .v2, let type = type(named: model.name) {
                return begin + "write '\(mapping(type, to: old))', and its items stay."
            }
            return begin + "keep its items with 'syncline migrate apply --rename \(old)=\(model.name)'."
        case .column(let name, let old, let new):
            guard let model = model(ofTable: name),
                let column = definition.tables[model.table].columns.first(where: { $0.name == new })
            else { return nil }
            let begin =
                "\(model.name).\(column.field) has no values, and the stored \(old) is of its type. If it was renamed, "
            if version == .v2, let field = type(named: model.name)?.fields.first(where: { $0.name == column.field }) {
                return begin + "write '\(mapping(field, to: old))' in type \(model.name), and its values stay."
            }
            return begin
                + "keep its values with 'syncline migrate apply --rename \(model.name).\(old)=\(column.field)'."
        }
    }

    private func model(ofTable name: String) -> Model? {
        definition.models.first { definition.tables[$0.table].name == name }
    }

    private func type(named name: String) -> ObjectTypeDefinition? {
        for case .type(.object(let type)) in document.definitions where type.name == name { return type }
        return nil
    }

    /// The first line of the type with `@mapsTo`, which keeps the table and the foreign keys that are named after it.
    private func mapping(_ type: ObjectTypeDefinition, to table: String) -> String {
        var line = type
        line.description = nil
        line.fields = []
        line.directives.removeAll { $0.name == "mapsTo" || $0.name == "refersTo" }
        line.directives.append(
            DirectiveNode("mapsTo", arguments: [ConstArgument(name: "name", value: .string(table))]))
        return Printer.print(.object(line))
    }

    /// The field with `@refersTo`, which keeps the column.
    private func mapping(_ field: FieldDefinition, to column: String) -> String {
        var line = field
        line.description = nil
        line.directives.removeAll { $0.name == "refersTo" }
        line.directives.append(
            DirectiveNode("refersTo", arguments: [ConstArgument(name: "name", value: .string(column))]))
        return Printer.print(line)
    }
}
