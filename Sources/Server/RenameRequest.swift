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
