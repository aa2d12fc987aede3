import Amplify
import JSON
import Tables
public import Transformer

/// What `syncline check` found: configuration, schema and the steps for the stored tables, all in one go.
public struct CheckReport: Sendable {
    /// What must be mended; empty when `serve` would start.
    public let errors: [Diagnostic]
    /// Those of the errors by which `dev` would start all the same.
    private let errorsOfServe: Set<Diagnostic>
    /// What should be known.
    public let warnings: [Diagnostic]
    /// What was accepted and has no effect.
    public let notes: [String]
    /// The exit code that the errors amount to.
    public let code: ServerError.Code?
    /// What each directive is served as; nil when the schema cannot be read.
    public let directives: DirectiveReport?
    private let definition: APIDefinition?
    private let amplify: AmplifyProject?
    private let hasAPI: Bool
    private let migrations: Migrations?

    /// Checks without starting anything and without the data folder's lock.
    public init(_ texts: SettingTexts) {
        let (configuration, configurationError) = Configuration.examine(texts)
        var found: [ServerError] = configurationError.map { [$0] } ?? []
        var definition: APIDefinition?
        var migrations: Migrations?
        var namesClosedModels = false
        if !configuration.lacksChoice {
            do throws(ServerError) {
                let loaded = try configuration.loadServedDefinition()
                definition = loaded
                // The report shows what else is known of such a schema.
                let closed = configuration.closedModelProblems(of: loaded)
                namesClosedModels = !closed.isEmpty
                if !closed.isEmpty { found.append(ServerError(.invalid, closed)) }
                if !configuration.data.isEphemeral {
                    migrations = try Migrations.plan(loaded, configuration)
                }
            } catch {
                found.append(error)
            }
        }
        errors = found.flatMap(\.diagnostics)
        code = found.first?.code
        errorsOfServe = errors.isEmpty ? [] : Set(errors).subtracting(Self.errorsOfDev(texts))
        // Closed models that are an error are no warnings besides.
        let named = namesClosedModels ? definition?.closedModelWarnings ?? [] : []
        warnings = configuration.warnings + (definition?.warnings ?? []).filter { !named.contains($0) }
        directives = (try? SchemaFiles(configuration).read()).map {
            DirectiveReport(of: $0, options: configuration.transformOptions)
        }
        notes = configuration.notes
        self.definition = definition
        amplify = configuration.amplify
        hasAPI = !configuration.schema.isOff
        self.migrations = migrations
    }

    /// What `dev` refuses to start with.
    private static func errorsOfDev(_ texts: SettingTexts) -> [Diagnostic] {
        var texts = texts
        texts.purpose = .develop
        let (configuration, error) = Configuration.examine(texts)
        guard !configuration.lacksChoice else { return error?.diagnostics ?? [] }
        do throws(ServerError) {
            _ = try configuration.loadServedDefinition()
            return error?.diagnostics ?? []
        } catch let problem {
            return (error?.diagnostics ?? []) + problem.diagnostics
        }
    }

    /// By which rules there are errors, where `dev` and `serve` differ in them.
    private var rules: String? {
        guard !errorsOfServe.isEmpty else { return nil }
        return errorsOfServe.count == Set(errors).count
            ? "These are the rules of 'syncline serve': 'syncline dev' starts, with warnings."
            : "Marked [serve]: 'syncline dev' only warns of it."
    }

    private func text(of error: Diagnostic) -> String {
        guard errorsOfServe.contains(error), errorsOfServe.count < Set(errors).count else { return error.render() }
        var error = error
        error.message = "[serve] \(error.message)"
        return error.render()
    }

    /// Whether the migration would lose data, or stored items do not fit the schema.
    public var findsLoss: Bool { migrations?.findsLoss ?? false }

    /// The report for people.
    public var text: String {
        var lines = amplify?.reportLines(isWhole: true) ?? []
        lines += directives?.lines ?? []
        lines += definition.map { AccessReport(of: $0).lines } ?? []
        lines += Diagnostic.texts(errors, "error", by: text(of:)) + Diagnostic.texts(warnings, "warning")
        lines += notes.map { "note: \($0)" }
        lines += (migrations?.steps ?? []).map { "migration: \($0.text)" }
        lines += migrations?.remarks ?? []
        let count = errors.count
        switch (count, definition) {
        case (0, _) where !hasAPI: lines.append("No GraphQL API is served.")
        case (0, let definition?):
            lines.append("The schema is valid: \(definition.counts).")
        default: lines.append(["\(Counted.text(count, "error")).", rules].compactMap(\.self).joined(separator: " "))
        }
        return lines.joined(separator: "\n")
    }

    /// The report for machines: one object.
    public var json: String {
        let report: JSONObject = [
            "valid": .bool(errors.isEmpty),
            "models": definition.map { .number(String($0.models.count)) } ?? .null,
            "indexes": definition.map { .number(String($0.indexCount)) } ?? .null,
            "transformerVersion": directives.map { .number(String($0.versionNumber)) } ?? .null,
            "directives": .array(directives?.uses.map(\.json) ?? []),
            "authorization": definition.map { AccessReport(of: $0).json } ?? .null,
            "rules": "serve",
            "errors": .array(errors.map { $0.json(isOfServe: errorsOfServe.contains($0)) }),
            "warnings": .array(warnings.map { $0.json(isOfServe: nil) }),
            "amplify": amplify?.reportJSON ?? .null,
            "notes": .array(notes.map(JSONValue.string)),
            "migration": .array((migrations?.steps ?? []).map(\.json)),
            "misfits": .array((migrations?.misfits ?? []).map(\.json)),
            "ownerless": .array((migrations?.ownerless ?? []).map(\.json)),
            "renames": .array((migrations?.renames ?? []).map(JSONValue.string)),
            "leftovers": .array((migrations?.leftovers ?? []).map(JSONValue.string)),
        ]
        return JSONValue.object(report).description
    }
}

extension Migrations.Step {
    fileprivate var json: JSONValue {
        [
            "summary": .string(summary), "losesData": .bool(losesData),
            "items": items.map { .number(String($0)) } ?? .null, "removedItems": .number(String(removedItems)),
            "lostValues": .number(String(lostValues)), "hint": hint.map { .string($0) } ?? .null,
        ]
    }
}

extension Misfit {
    fileprivate var json: JSONValue {
        [
            "model": .string(model), "field": .string(field), "type": .string(type),
            "lackingItems": .number(String(lackingItems)), "otherItems": .number(String(otherItems)),
            "example": example.map { .string($0) } ?? .null,
        ]
    }
}

extension Diagnostic {
    /// The parts, and `text` as a terminal shows it.
    ///
    /// - Parameter isOfServe: Whether `dev` would start all the same; nil for a warning.
    fileprivate func json(isOfServe: Bool?) -> JSONValue {
        var object: JSONObject = [
            "severity": isWarning ? "warning" : "error",
            "kind": .string(kind),
            "message": .string(message),
            "file": place.map { .string($0.sourceName) } ?? .null,
            "line": place.map { .number(String($0.line)) } ?? .null,
            "column": place.map { .number(String($0.column)) } ?? .null,
            "sourceLine": place.map { .string($0.sourceLine) } ?? .null,
            "hint": hint.map { .string($0) } ?? .null,
            "text": .string(render()),
        ]
        if let isOfServe { object["onlyServe"] = .bool(isOfServe) }
        return .object(object)
    }
}
