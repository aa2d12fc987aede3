import GraphQL
import JSON
import SchemaEdit
import Transformer

/// What is known of a schema's text: what it declares, and all that is wrong with it.
struct SchemaReport: Sendable {
    let text: SchemaText
    /// What would be served; nil where there are errors.
    let definition: APIDefinition?
    /// Errors, then warnings.
    let diagnostics: [Diagnostic]
    /// Nil where a file has a syntax error.
    private let outline: SchemaOutline?
    private let version: Int

    /// - Parameter last: Has the definition if the same text was checked just before.
    init(
        _ text: SchemaText, _ configuration: Configuration, mode: Service.Mode, last: LastTransform = LastTransform()
    ) {
        self.text = text
        let sources = text.sources
        do throws(ServerError) {
            let definition = try configuration.read(for: mode)
                .loadDefinition(allowsClosedModels: mode == .dev, of: sources, by: { last.outcome(of: $0, $1) })
            self.definition = definition
            diagnostics = definition.warnings
            version = definition.transformerVersion == .v2 ? 2 : 1
        } catch {
            definition = nil
            diagnostics = error.diagnostics
            version = DirectiveReport(of: sources, options: configuration.transformOptions).versionNumber
        }
        outline = try? SchemaOutline(text.files, version: version == 2 ? .two : .one)
    }

    /// The version of edits, which is that of the transformer where options decide it.
    static func editVersion(_ configuration: Configuration) -> SchemaEditor.Version? {
        switch configuration.transform.transformerVersion {
        case .automatic: nil
        case .v1: .one
        case .v2: .two
        }
    }

    /// The members that all answers about a text have.
    var members: JSONObject {
        [
            "hash": .string(text.hash), "transformerVersion": .number(String(version)), "model": model,
            "diagnostics": diagnosticsJSON,
        ]
    }

    var isValid: Bool { definition != nil }

    var diagnosticsJSON: JSONValue {
        guard !diagnostics.isEmpty else { return [] }
        let tables = Dictionary(text.files.map { ($0.name, LineTable($0.bytes)) }, uniquingKeysWith: { $1 })
        return .array(diagnostics.prefix(Diagnostic.textsMax).map { $0.json(tables) })
    }

    private var model: JSONValue {
        guard var outline else { return .null }
        let access = definition.map { AccessReport(of: $0) }
        let subjects = Dictionary(access?.subjects.map { ($0.name, $0) } ?? [], uniquingKeysWith: { $1 })
        for index in outline.types.indices {
            let name = outline.types[index].name
            outline.types[index].json["api"] = definition.flatMap { api(of: name, $0) } ?? .null
            outline.types[index].json["access"] = .array(subjects[name]?.identities ?? [])
            outline.types[index].json["meaning"] = subjects[name]?.sentence.map(JSONValue.string) ?? .null
        }
        return outline.json
    }

    /// The fields of the root types that a model has.
    private func api(of name: String, _ definition: APIDefinition) -> JSONValue? {
        guard let model = definition.declarations.model(named: name) else { return nil }
        let operations = model.operations
        let queries = [operations.get, operations.list, operations.sync] + model.indexes.map(\.queryField)
        func names(_ fields: [String?]) -> JSONValue { .array(fields.compactMap { $0.map(JSONValue.string) }) }
        return [
            "queries": names(queries), "mutations": names([operations.create, operations.update, operations.delete]),
            "subscriptions": names(operations.subscriptions.map(\.field)),
        ]
    }
}

extension AccessReport.Subject {
    /// Who may do what, a row for each kind of callers.
    fileprivate var identities: [JSONValue] {
        struct Subject: Hashable {
            let caller: AccessReport.Caller
            let field: String?
        }
        var rows: [(subject: Subject, operations: [String])] = []
        var places: [Subject: Int] = [:]
        for entry in entries {
            for caller in entry.callers {
                let subject = Subject(caller: caller, field: entry.field)
                if let place = places[subject] {
                    rows[place].operations.append(entry.operation)
                } else {
                    places[subject] = rows.count
                    rows.append((subject, [entry.operation]))
                }
            }
        }
        return rows.map { row in
            let caller = row.subject.caller
            return [
                "identity": .string(caller.words), "provider": .string(caller.provider.rawValue),
                "field": row.subject.field.map(JSONValue.string) ?? .null,
                "fields": caller.fields.map { .array($0.map(JSONValue.string)) } ?? .null,
                "operations": .array(row.operations.map(JSONValue.string)),
            ]
        }
    }
}

extension Diagnostic {
    /// - Parameter tables: The lines of the files.
    fileprivate func json(_ tables: [String: LineTable]) -> JSONValue {
        let table = place.flatMap { tables[$0.sourceName] }
        var start = place.flatMap { table?.offset(line: $0.line, column: $0.column) }
        let suggestion = hint?.firstMatch(of: /Did you mean "?@?([_A-Za-z][_0-9A-Za-z]*)/).map { String($0.1) }
        // The place is that of the definition; the name that is wrong follows, and the message quotes it.
        if suggestion != nil, let wrong = message.firstMatch(of: /"@?([_A-Za-z][_0-9A-Za-z]*)"/)?.1 {
            start = start.flatMap { table?.offset(ofName: String(wrong), from: $0) } ?? start
        }
        return [
            "severity": isWarning ? "warning" : "error", "code": .string(kind), "message": .string(message),
            "help": hint.map(JSONValue.string) ?? .null, "file": place.map { .string($0.sourceName) } ?? .null,
            "line": place.map { .number(String($0.line)) } ?? .null,
            "column": place.map { .number(String($0.column)) } ?? .null,
            "start": start.map { .number(String($0)) } ?? .null,
            "suggestion": suggestion.map(JSONValue.string) ?? .null,
        ]
    }
}
