import GraphQL
import JSON
import SchemaEdit
import Tables
import Transformer

/// What a deployment of a schema would do: to the tables, to items, and to clients.
struct SchemaPlan: Sendable {
    enum Risk: String, Sendable {
        case additive, index, needsValues, destructive, impossible
    }

    struct Step: Sendable {
        var id = ""
        let kind: String
        var model: String?
        var field: String?
        var index: String?
        /// The field's type, where values are needed.
        var type: String?
        let risk: Risk
        var items = 0
        var removedItems = 0
        var lostValues = 0
        let sentence: String
        var hint: String?
        /// Whether all items are read or written.
        var isWork = false

        /// By what this machine takes for an index or a copy, roughly.
        private static let itemsPerSecond = 250_000.0

        var seconds: Double { isWork ? (Double(items) / Self.itemsPerSecond * 10).rounded() / 10 : 0 }

        /// What makes one step another: not its counts, which change while clients write.
        var identity: String { "\(kind) \(model ?? "") \(field ?? "") \(index ?? "") \(risk.rawValue)" }

        var json: JSONValue {
            func number(_ count: Int) -> JSONValue { .number(String(count)) }
            var object: JSONObject = [
                "id": .string(id), "kind": .string(kind), "model": model.map(JSONValue.string) ?? .null,
                "field": field.map(JSONValue.string) ?? .null, "index": index.map(JSONValue.string) ?? .null,
                "risk": .string(risk.rawValue), "items": number(items), "removedItems": number(removedItems),
                "lostValues": number(lostValues), "seconds": .number("\(seconds)"),
            ]
            object["time"] = seconds < 1 ? "instant" : seconds < 60 ? "seconds" : "minutes"
            object["sentence"] = .string(sentence)
            object["hint"] = hint.map(JSONValue.string) ?? .null
            object["type"] = type.map(JSONValue.string)
            return .object(object)
        }
    }

    let text: SchemaText
    /// The hash of the files that it replaces.
    let base: String
    let definition: APIDefinition
    let renames: [Rename]
    private(set) var steps: [Step] = []
    let api: APIDifference
    let diff: [(file: String, text: String)]
    private let leftovers: [String]
    private let ownerless: [String]
    private let possibleRenames: [String]
    /// The most that the steps of the tables do.
    let effect: MigrationStep.Effect

    /// - Parameters:
    ///   - dataFolder: Where the tables are, which a server may be writing.
    init(
        _ report: SchemaReport, _ definition: APIDefinition, renaming edits: [SchemaRename], over current: SchemaText,
        of served: ServedSchema, dataFolder: String
    ) throws(OperatorProblem) {
        text = report.text
        base = current.hash
        self.definition = definition
        api = APIDifference(from: served.definition, to: definition)
        diff = SchemaDifference.unified(from: current.files, to: report.text.files)
        do throws(StoreError) {
            guard let survey = try StoreSurvey(folder: dataFolder) else {
                throw StoreError(.damaged, "There is no database.")
            }
            let known = try Self.renames(edits, definition, survey)
            renames = known
            let migration = try survey.plan(for: definition.tables, renaming: known)
            effect = migration.map(\.effect).max() ?? .none
            let misfits = try Misfit.find(definition, in: survey, renaming: known)
            ownerless = try OwnerlessItems.find(definition, in: survey, renaming: known).map(\.text)
            let asked = Set(known)
            let possible = try survey.possibleRenames(to: definition.tables).filter { !asked.contains($0) }
            possibleRenames =
                possible.isEmpty
                ? []
                : RenameAdvice(definition, report.text.sources, options: served.configuration.transformOptions)
                    .sentences(for: possible)
            leftovers = try survey.leftovers(beside: definition.tables).filter { !$0.isRenamed(by: known) }.map(
                \.text)
            let switched = Set(
                definition.tables.filter { table in
                    served.definition.tables.contains { $0.name == table.name && $0.isVersioned != table.isVersioned }
                }.map(\.name))
            steps = migration.map { Self.step($0, definition, switched) }
            steps += misfits.filter { Self.isNew($0, served.definition) }.map(Self.step)
        } catch {
            if case .invalidRequest = error.code { throw .invalid(error.message, field: "renames") }
            throw OperatorProblem(code: .unavailable, message: "The tables cannot be read: \(error.message)")
        }
        for index in steps.indices { steps[index].id = "s\(index + 1)" }
    }

    // MARK: - Steps

    private static func step(_ step: MigrationStep, _ definition: APIDefinition, _ switched: Set<String>) -> Step {
        let model = definition.models.first { definition.tables[$0.table].name == step.table }
        func field(_ column: String) -> String {
            model.flatMap { definition.tables[$0.table].columns.first { $0.name == column }?.field } ?? column
        }
        let name = model?.name ?? step.table
        var (kind, fieldName, index): (String, String?, String?) = ("changeTable", nil, nil)
        var sentence = step.summary
        switch step.action {
        case .makeTable: (kind, sentence) = ("createTable", "Create the table of \(name).")
        case .renameTable(let old): (kind, sentence) = ("renameTable", "Rename the table \(old) to \(step.table).")
        case .addColumn(let column):
            (kind, fieldName, sentence) = ("addColumn", field(column), "Add \(name).\(field(column)).")
        case .renameColumn(let old, let new):
            (kind, fieldName) = ("renameColumn", field(new))
            sentence = "Keep the values of \(name).\(old) as \(name).\(field(new))."
        case .makeIndex(let made): (kind, index, sentence) = ("addIndex", made, "Build the index \(made) of \(name).")
        case .dropIndex(let gone): (kind, index, sentence) = ("dropIndex", gone, "Remove the index \(gone) of \(name).")
        case .versions: kind = "versions"
        case .copyTable, .other: break
        }
        let isImpossible = switched.contains(step.table)
        let isCopy = step.action == .copyTable
        let isIndex = kind == "addIndex" || isCopy
        return Step(
            kind: kind, model: name.isEmpty ? nil : name, field: fieldName, index: index,
            risk: isImpossible ? .impossible : step.losesData ? .destructive : isIndex ? .index : .additive,
            items: step.counts?.items ?? 0, removedItems: step.counts?.removedItems ?? 0,
            lostValues: step.counts?.lostValues ?? 0, sentence: sentence,
            hint: isImpossible ? "Restart the server: one that runs cannot switch conflict detection." : step.hint,
            isWork: isIndex)
    }

    private static func step(_ misfit: Misfit) -> Step {
        Step(
            kind: "needsValues", model: misfit.model, field: misfit.field, type: misfit.type, risk: .needsValues,
            items: misfit.lackingItems + misfit.otherItems, sentence: misfit.text,
            hint: "Clients that read the field get an error for these items. "
                + (misfit.lackingItems > 0 ? "Give them a value, or make the field optional." : ""))
    }

    /// Whether the served schema fits the items: what did not fit before is no consequence of the deployment.
    private static func isNew(_ misfit: Misfit, _ served: APIDefinition) -> Bool {
        guard let type = served.schema.type(named: misfit.model),
            let field = served.schema[type].fields?.fields.first(where: { $0.name == misfit.field })
        else { return true }
        return served.schema.name(of: field.type) != misfit.type
    }

    /// Edits of a draft as one rename for each stored name, without those of what was never stored.
    private static func renames(
        _ edits: [SchemaRename], _ definition: APIDefinition, _ survey: StoreSurvey
    ) throws(StoreError) -> [Rename] {
        var types: [(old: String, new: String)] = []
        var fields: [(type: String, old: String, new: String)] = []
        for edit in edits {
            switch edit {
            case .type(let old, let new):
                if let place = types.firstIndex(where: { $0.new == old }) {
                    types[place].new = new
                } else {
                    types.append((old, new))
                }
                for place in fields.indices where fields[place].type == old { fields[place].type = new }
            case .field(let type, let old, let new):
                if let place = fields.firstIndex(where: { $0.type == type && $0.new == old }) {
                    fields[place].new = new
                } else {
                    fields.append((type, old, new))
                }
            }
        }
        let stored = survey.storedNames
        var renames: [Rename] = []
        for (old, new) in types where old != new && stored[old] != nil {
            guard let model = definition.model(named: new) else { continue }
            renames.append(.table(old: old, new: definition.tables[definition.models[model].table].name))
        }
        for (type, old, new) in fields where old != new {
            guard let model = definition.model(named: type) else { continue }
            let table = definition.tables[definition.models[model].table]
            let before = types.first { $0.new == type }?.old ?? table.name
            guard stored[before]?.contains(old) == true, let position = table.position(of: new) else { continue }
            renames.append(.column(table: table.name, old: old, new: table.columns[position].name))
        }
        return renames
    }

    // MARK: - As an answer

    /// Steps that are carried out only when somebody has seen and accepted them.
    var stepsToAccept: [Step] { steps.filter { [.destructive, .needsValues].contains($0.risk) } }
    var isImpossible: Bool { steps.contains { $0.risk == .impossible } }
    var isDestructive: Bool { steps.contains { $0.risk == .destructive } }

    var hash: String {
        let lines = [base, text.hash] + steps.map(\.identity) + renames.map { "\($0)" }
        return SchemaText([SchemaFile(name: "plan", text: lines.joined(separator: "\n"))]).hash
    }

    var summary: JSONValue {
        func count(_ risk: Risk) -> JSONValue { .number(String(steps.count { $0.risk == risk })) }
        return [
            "additive": count(.additive), "index": count(.index), "needsValues": count(.needsValues),
            "destructive": count(.destructive), "impossible": count(.impossible),
        ]
    }

    var diffJSON: JSONValue { Self.json(diff) }

    static func json(_ diff: [(file: String, text: String)]) -> JSONValue {
        .array(diff.map { ["file": .string($0.file), "text": .string($0.text)] })
    }

    /// Without the difference of the files.
    var json: JSONObject {
        func list(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
        return [
            "planHash": .string(hash), "base": .string(base), "summary": summary, "reversible": .bool(!isDestructive),
            "steps": .array(steps.map(\.json)), "leftovers": list(leftovers),
            "clients": ["compatible": .bool(api.breaking.isEmpty), "breaking": list(api.breaking)], "api": api.json,
            "ownerless": list(ownerless), "possibleRenames": list(possibleRenames),
        ]
    }
}
