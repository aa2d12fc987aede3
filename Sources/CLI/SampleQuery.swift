import GraphQL
import Transformer

/// A query that works on the served schema, and the mode whose callers may send it: the list of the first model that callers
/// of the mode may list, with a few plain fields.
struct SampleQuery {
    /// The document; without quotes, so that it can stand in a shell's and in JSON's.
    let text: String
    /// The mode of its caller.
    let mode: TransformOptions.AuthMode

    private static let fieldCountMax = 4

    init(_ definition: APIDefinition) {
        let report = AccessReport(of: definition)
        // An API key is at hand, a user can sign in; the other credentials come from elsewhere.
        let modes = [.apiKey, .userPools].filter(definition.authModes.contains) + definition.authModes
        for mode in modes {
            if let text = Self.list(definition, report, mode) {
                (self.text, self.mode) = (text, mode)
                return
            }
        }
        (text, mode) = ("{ __typename }", modes.first ?? .apiKey)
    }

    /// The first list that callers of a mode may have.
    private static func list(
        _ definition: APIDefinition, _ report: AccessReport, _ mode: TransformOptions.AuthMode
    ) -> String? {
        let schema = definition.schema
        let queryType = schema[schema.queryType]
        guard case .object(let root) = queryType.kind else { return nil }
        for field in root.fields {
            guard case .query(let query)? = definition.resolver(type: queryType.name, field: field.name),
                query.kind == .list, definition.gates.gate(type: queryType.name, field: field.name).modes.contains(mode)
            else { continue }
            let name = definition.models[query.model].name
            guard let model = schema.type(named: name),
                let subject = report.subjects.first(where: { $0.name == name }),
                let entry = subject.entries.first(where: { $0.field == nil && $0.rootFields.contains(field.name) }),
                let caller = entry.callers.first(where: { $0.provider == mode.provider })
            else { continue }
            // Fields that not every reader of the model may read.
            let restricted = subject.entries.filter { $0.operation == "read" && !$0.callers.contains(caller) }
                .compactMap(\.field)
            let fields = plainFields(of: model, schema).filter { name in
                !restricted.contains(name) && caller.fields?.contains(name) ?? true
                    && definition.gates.gate(type: subject.name, field: name).modes.contains(mode)
            }
            guard !fields.isEmpty else { continue }
            return "{ \(field.name) { items { \(fields.prefix(fieldCountMax).joined(separator: " ")) } } }"
        }
        return nil
    }

    /// The fields that need neither arguments nor a selection of their own.
    private static func plainFields(of type: TypeID, _ schema: GraphQL.Schema) -> [String] {
        guard case .object(let object) = schema[type].kind else { return [] }
        return object.fields.filter { field in
            guard field.arguments.isEmpty else { return false }
            return switch schema[field.type.namedType].kind {
            case .scalar, .enumeration: true
            default: false
            }
        }.map(\.name)
    }
}
