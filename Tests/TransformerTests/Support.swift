import Foundation
import GraphQL
import Tables
import Testing

@testable import Transformer

/// The definition of a schema that must be fine; its diagnostics are the failure otherwise.
func definition(
    _ schema: String, options: TransformOptions = TransformOptions(),
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) throws -> APIDefinition {
    switch Transform.transform([Source(schema, name: "schema.graphql")], options: options) {
    case .success(let definition): return definition
    case .failure(let diagnostics):
        Issue.record("\(diagnostics.map { $0.render() }.joined(separator: "\n"))", sourceLocation: sourceLocation)
        throw diagnostics[0]
    }
}

/// The diagnostics of a schema that must be refused.
func refusal(
    _ schema: String, options: TransformOptions = TransformOptions(),
    sourceLocation: Testing.SourceLocation = #_sourceLocation
) -> [Diagnostic] {
    switch Transform.transform([Source(schema, name: "schema.graphql")], options: options) {
    case .success:
        Issue.record("The schema is accepted.", sourceLocation: sourceLocation)
        return []
    case .failure(let diagnostics): return diagnostics
    }
}

extension APIDefinition {
    /// The SDL of one type, as printed.
    func text(of type: String) -> String? {
        for case .type(let definition) in document.definitions where definition.name == type {
            return Printer.print(definition)
        }
        return nil
    }

    /// A field of a type as printed, without its indent.
    func text(of type: String, field: String) -> String? {
        text(of: type)?.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            .first { $0.hasPrefix("\(field):") || $0.hasPrefix("\(field)(") }
    }

    func table(_ name: String) -> Table? { tables.first { $0.name == name } }
}

extension APIDefinition {
    /// Whatever a resolver names exists: models, columns, indexes, arguments.
    func expectIsConsistent(sourceLocation: Testing.SourceLocation = #_sourceLocation) throws {
        #expect(Set(tables.map(\.name)).count == tables.count, sourceLocation: sourceLocation)
        for (index, model) in models.enumerated() {
            #expect(self.model(named: model.name) == index, sourceLocation: sourceLocation)
            let table = tables[model.table]
            #expect(Set(table.columns.map(\.name)).count == table.columns.count, sourceLocation: sourceLocation)
            #expect(Set(table.columns.map(\.field)).count == table.columns.count, sourceLocation: sourceLocation)
            #expect(Set(table.indexes.map(\.name)).count == table.indexes.count, sourceLocation: sourceLocation)
            let key = table.key.columns.map { table.columns[$0].field }
            #expect(key == model.primaryKey, sourceLocation: sourceLocation)
            #expect(table.isVersioned == (model.conflictHandler != nil), sourceLocation: sourceLocation)
        }
        for (field, resolver) in resolvers {
            let parent = try #require(schema.type(named: field.type), sourceLocation: sourceLocation)
            let type = try #require(schema[parent].fields, sourceLocation: sourceLocation)
            let position = try #require(
                type.fields.firstIndex { $0.name == field.field }, "\(field)", sourceLocation: sourceLocation)
            let arguments = type.fields[position].arguments.map(\.name)
            expect(resolver, of: field, arguments: arguments, sourceLocation: sourceLocation)
        }
    }

    private func expect(
        _ resolver: Resolver, of field: FieldName, arguments: [String], sourceLocation: Testing.SourceLocation
    ) {
        let parent = models.first { $0.name == field.type }.map { tables[$0.table] }
        switch resolver {
        case .getItem(let get):
            #expect(get.arguments == arguments, sourceLocation: sourceLocation)
            #expect(get.arguments == models[get.model].primaryKey, sourceLocation: sourceLocation)
        case .related(let related):
            let table = tables[models[related.model].table]
            let key = if case .index(let index) = related.access { table.indexes[index].key } else { table.key }
            #expect(related.columns.count == key.columns.count, sourceLocation: sourceLocation)
            #expect(
                related.columns.allSatisfy { parent?.position(of: $0) != nil }, "\(field)",
                sourceLocation: sourceLocation)
        case .query(let query):
            let table = tables[models[query.model].table]
            let key =
                switch query.access {
                case .index(let index): table.indexes[index].key
                case .item, .scan, .primaryKey, .changes: table.key
                }
            if query.access != .scan {
                #expect(
                    key.sortKeys.map { table.columns[$0].field } == query.indexSortFields,
                    sourceLocation: sourceLocation)
            }
            switch query.partitionKey {
            case .none: #expect(query.access == .scan, sourceLocation: sourceLocation)
            case .argument(let name, _): #expect(arguments.contains(name), sourceLocation: sourceLocation)
            case .parent(let column):
                #expect(parent?.position(of: column) != nil, "\(field)", sourceLocation: sourceLocation)
            }
            switch query.sortKey {
            case .none: break
            case .argument(let name, let fields):
                #expect(arguments.contains(name), sourceLocation: sourceLocation)
                #expect(fields == query.indexSortFields, sourceLocation: sourceLocation)
            case .parent(let columns):
                #expect(columns.count == query.indexSortFields.count, sourceLocation: sourceLocation)
                #expect(
                    columns.allSatisfy { parent?.position(of: $0) != nil }, "\(field)",
                    sourceLocation: sourceLocation)
            }
            #expect(["filter", "limit", "nextToken"].allSatisfy(arguments.contains), sourceLocation: sourceLocation)
        case .createItem(let model), .updateItem(let model), .deleteItem(let model):
            #expect(models.indices.contains(model), sourceLocation: sourceLocation)
            #expect(arguments == ["input", "condition"], sourceLocation: sourceLocation)
        case .sync(let model):
            #expect(models[model].conflictHandler != nil, sourceLocation: sourceLocation)
            #expect(arguments == ["filter", "limit", "nextToken", "lastSync"], sourceLocation: sourceLocation)
        case .pipeline(let steps):
            #expect((1...10).contains(steps.count), sourceLocation: sourceLocation)
        case .subscription:
            #expect(parent == nil, sourceLocation: sourceLocation)
        }
    }
}
