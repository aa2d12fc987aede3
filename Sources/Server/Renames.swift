import GraphQL
import Tables
import Transformer

/// A rename that someone asks for: `Post.title=headline` of a field, `Post=Article` of a model.
public struct RenameRequest: Sendable, Hashable {
    /// The model, and of a field the one it has now; of a model, the old name.
    let model: String
    /// The field's old name; nil of a model.
    let field: String?
    /// The new name.
    let new: String

    /// Reads a request; nil if it is none.
    public init?(_ text: String) {
        let sides = text.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        guard sides.count == 2, !sides[1].isEmpty, !sides[1].contains(".") else { return nil }
        let names = sides[0].split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(names.count), !names.contains("") else { return nil }
        (model, field, new) = (names[0], names.count == 2 ? names[1] : nil, sides[1])
    }
}

extension [RenameRequest] {
    /// The requests as the store knows the names, models first. A field of a model that is renamed at the same time may
    /// be named by either name of it.
    func renames(for definition: APIDefinition) throws(ServerError) -> [Rename] {
        func table(of model: String) throws(ServerError) -> Table {
            guard let index = definition.model(named: model) else {
                throw ServerError(.usage, "--rename: the schema has no model \(model).")
            }
            return definition.tables[definition.models[index].table]
        }
        var renames: [Rename] = []
        var newNames: [String: String] = [:]
        for request in self where request.field == nil {
            newNames[request.model] = request.new
            renames.append(.table(old: request.model, new: try table(of: request.new).name))
        }
        for request in self {
            guard let field = request.field else { continue }
            let table = try table(of: newNames[request.model] ?? request.model)
            guard let position = table.position(of: request.new) else {
                throw ServerError(.usage, "--rename: \(request.model) has no stored field \(request.new).")
            }
            renames.append(.column(table: table.name, old: field, new: table.columns[position].name))
        }
        return renames
    }
}

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
