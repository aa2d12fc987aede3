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
        /// Of `items`, those that lack a required value; the others hold one that is none of the type.
        var lackingItems = 0
        let sentence: String
        var hint: String?
        /// Whether all items are read or written.
        var isWork = false

        /// By what this machine takes for an index or a copy, roughly.
        private static let itemsPerSecond = 250_000.0

        var seconds: Double { isWork ? (Double(items) / Self.itemsPerSecond * 10).rounded() / 10 : 0 }

        /// What makes one step another: not its counts and its risk, which change while clients write.
        var identity: String { "\(kind) \(model ?? "") \(field ?? "") \(index ?? "")" }

        /// Whether somebody has to see and accept it before it is carried out.
        var isToAccept: Bool { [.destructive, .needsValues].contains(risk) }

        /// What is lost by it, or remains without a value.
        var losses: [Int] { risk == .needsValues ? [lackingItems, items - lackingItems] : [removedItems, lostValues] }

        /// Whether items that lack a value get one of these, by `Model.field`.
        func isFilled(by fills: Set<String>) -> Bool {
            risk == .needsValues && fills.contains("\(model ?? "").\(field ?? "")")
        }

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
    private(set) var steps: [Step]
    /// The tables that the served API may not write any longer once the tables are migrated: its items may not fit.
    let revokedTables: Set<String>
    let api: APIDifference
    let diff: [(file: String, text: String)]
    private let leftovers: [String]
    private let ownerless: [String]
    private let possibleRenames: [String]
    /// The most that the steps of the tables do.
    let effect: MigrationStep.Effect
    private let served: APIDefinition

    /// - Parameters:
    ///   - dataFolder: Where the tables are, which a server may be writing.
    ///   - findsMisfits: Whether items are looked for that the new types do not fit, in every item of the models concerned.
    init(
        _ report: SchemaReport, _ definition: APIDefinition, renaming edits: [SchemaRename], over current: SchemaText,
        of served: ServedSchema, dataFolder: String, findsMisfits: Bool = true
    ) throws(OperatorProblem) {
        text = report.text
        base = current.hash
        self.definition = definition
        self.served = served.definition
        api = APIDifference(from: served.definition, to: definition)
        diff = SchemaDifference.unified(from: current.files, to: report.text.files)
        do throws(StoreError) {
            let survey = try Self.survey(dataFolder)
            let known = try Self.renames(edits, definition, survey)
            renames = known
            let counted = try Self.count(
                definition, served.definition, renaming: known, in: survey, findsMisfits: findsMisfits)
            (steps, effect, revokedTables) = (counted.steps, counted.effect, counted.revokedTables)
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
        } catch { throw Self.problem(error) }
    }

    /// The same plan, with what its steps lose now.
    func countedAgain(in dataFolder: String) throws(OperatorProblem) -> SchemaPlan {
        var plan = self
        do throws(StoreError) {
            plan.steps = try Self.count(definition, served, renaming: renames, in: Self.survey(dataFolder)).steps
        } catch { throw Self.problem(error) }
        return plan
    }

    private static func survey(_ dataFolder: String) throws(StoreError) -> StoreSurvey {
        guard let survey = try StoreSurvey(folder: dataFolder) else {
            throw StoreError(.damaged, "There is no database.")
        }
        return survey
    }

    private static func problem(_ error: StoreError) -> OperatorProblem {
        if case .invalidRequest = error.code { return .invalid(error.message, field: "renames") }
        return OperatorProblem(code: .unavailable, message: "The tables cannot be read: \(error.message)")
    }

    // MARK: - Steps

    private struct Counted {
        var steps: [Step]
        let effect: MigrationStep.Effect
        let revokedTables: Set<String>
    }

    /// The steps with what they concern.
    private static func count(
        _ definition: APIDefinition, _ served: APIDefinition, renaming renames: [Rename], in survey: StoreSurvey,
        findsMisfits: Bool = true
    ) throws(StoreError) -> Counted {
        let migration = try survey.plan(for: definition.tables, renaming: renames)
        let switched = Set(
            definition.tables.filter { table in
                served.tables.contains { $0.name == table.name && $0.isVersioned != table.isVersioned }
            }.map(\.name))
        let fit = ItemFit(from: served, to: definition)
        let misfits =
            findsMisfits ? try Misfit.find(definition, in: survey, renaming: renames, of: fit.uncertainModels) : []
        // What did not fit before is no consequence of the deployment.
        let known = misfits.isEmpty ? [] : try Misfit.find(served, in: survey, renaming: [], of: fit.uncertainModels)
        var steps = migration.map { step($0, definition, switched) }
        steps += misfits.filter { misfit in
            let before = known.first { $0.model == misfit.model && $0.field == misfit.field }
            return misfit.itemCount > before?.itemCount ?? 0
        }.map(step)
        for index in steps.indices { steps[index].id = "s\(index + 1)" }
        let narrowed = definition.models.filter { fit.narrowedModels.contains($0.name) }
        let moved = migration.filter(\.movesValues).map(\.table)
        return Counted(
            steps: steps, effect: migration.map(\.effect).max() ?? .none,
            revokedTables: Set(narrowed.map { definition.tables[$0.table].name } + moved))
    }

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
            items: misfit.itemCount, lackingItems: misfit.lackingItems, sentence: misfit.text,
            hint: "Clients that read the field get an error for these items. "
                + (misfit.lackingItems > 0 ? "Give them a value, or make the field optional." : ""))
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
    var stepsToAccept: [Step] { steps.filter(\.isToAccept) }
    var isImpossible: Bool { steps.contains { $0.risk == .impossible } }
    var isDestructive: Bool { steps.contains { $0.risk == .destructive } }

    /// Whether clients' writes can make it lose more than it says.
    var mayGrow: Bool { !revokedTables.isEmpty || !stepsToAccept.isEmpty }

    var hash: PlanHash {
        // A step that items need is there only as long as there are such items.
        let steps = steps.filter { $0.risk != .needsValues }.map(\.identity)
        return PlanHash(
            of: [base, text.hash] + steps + renames.map { "\($0)" },
            losses: stepsToAccept.map { ($0.identity, $0.losses) })
    }

    /// Whether it is the plan that was seen, and loses no more than that.
    ///
    /// - Parameter fills: The fields, as `Model.field`, whose items get a value if they lack one: any number of them.
    func isCovered(by seen: PlanHash, filling fills: Set<String>) -> Bool {
        guard hash.identity == seen.identity else { return false }
        return stepsToAccept.allSatisfy { step in
            var losses = step.losses
            if step.isFilled(by: fills) { losses[0] = 0 }
            return zip(losses, seen.losses(of: step.identity)).allSatisfy(<=)
        }
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
            "planHash": .string(hash.text), "base": .string(base), "summary": summary,
            "reversible": .bool(!isDestructive),
            "steps": .array(steps.map(\.json)), "leftovers": list(leftovers),
            "clients": ["compatible": .bool(api.breaking.isEmpty), "breaking": list(api.breaking)], "api": api.json,
            "ownerless": list(ownerless), "possibleRenames": list(possibleRenames),
        ]
    }
}

extension MigrationStep {
    /// Whether items have other values or other places after it, or other names for them.
    fileprivate var movesValues: Bool {
        switch action {
        case .copyTable, .renameTable, .renameColumn, .versions: true
        case .makeTable, .addColumn, .makeIndex, .dropIndex, .other: effect > .none
        }
    }
}
