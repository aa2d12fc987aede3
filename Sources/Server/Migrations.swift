import Tables
public import Transformer

/// What lies between the stored tables and a schema, for people who want to see or allow it: the steps, the items that
/// do not fit, what seems to be renamed, and what is left over. All of it is counted, which reads the tables.
public struct Migrations: Sendable {
    /// One step.
    public struct Step: Sendable, Hashable {
        /// What is done, as a sentence.
        public let summary: String
        /// Whether items or attributes may be lost by it.
        public let losesData: Bool
        /// What to know or do about it, as a sentence.
        public let hint: String?
        /// The items of the table before it; nil of a new table.
        public let items: Int?
        /// The items that it removes.
        public let removedItems: Int
        /// The values, of items that stay, that it removes or changes.
        public let lostValues: Int

        init(_ step: MigrationStep) {
            summary = step.summary
            losesData = step.losesData
            hint = step.hint
            items = step.counts?.items
            removedItems = step.counts?.removedItems ?? 0
            lostValues = step.counts?.lostValues ?? 0
        }

        /// The step with its counts, and what it loses in front.
        public var text: String {
            guard let items else { return (losesData ? "LOSES DATA: " : "") + summary }
            let counted = Counted.text(items, "item")
            guard losesData else { return "\(summary) (\(counted))" }
            return "LOSES DATA: \(summary) (\(counted): \(removedItems) removed, "
                + "\(Counted.text(lostValues, "value")) lost)"
        }
    }

    /// The steps, in their order.
    public let steps: [Step]
    /// The items that the schema does not fit.
    public let misfits: [Misfit]
    /// The items that no rule for owners is about, because they have none.
    public let ownerless: [OwnerlessItems]
    /// What seems to be renamed, and what to do about it, as sentences.
    public private(set) var renames: [String] = []
    private let possibleRenames: [Rename]
    /// What is stored and no longer declared, with its count: `table Post (3 items)`.
    public let leftovers: [String]
    /// Whether anything would be lost with what is left over.
    let leftoversHoldData: Bool

    /// Whether any of the steps may lose data.
    public var losesData: Bool { steps.contains(where: \.losesData) }

    /// Whether a step loses data or items do not fit: exit code 8 of a check.
    public var findsLoss: Bool { losesData || !misfits.isEmpty }

    /// Reads the stored tables without the folder's lock, beside a server that runs.
    public static func plan(
        _ definition: APIDefinition, _ configuration: Configuration, renaming requests: [RenameRequest] = []
    ) throws(ServerError) -> Migrations {
        let renames = try requests.renames(for: definition)
        let survey: StoreSurvey?
        do throws(StoreError) {
            survey = try StoreSurvey(folder: configuration.data.folder)
        } catch {
            throw ServerError(opening: configuration.data.folder, error)
        }
        guard let survey else { return Migrations(making: definition) }
        var plan: Migrations
        do throws(StoreError) {
            plan = try Migrations(definition, survey, renames)
        } catch {
            throw ServerError(migrating: error)
        }
        if !plan.possibleRenames.isEmpty {
            // The author's text, which the definition does not have.
            let sources = try SchemaFiles(configuration).read()
            plan.renames = RenameAdvice(definition, sources, options: configuration.transformOptions)
                .sentences(for: plan.possibleRenames)
        }
        return plan
    }

    /// Takes the steps under the folder's lock; `isAllowed` decides about steps that lose data, once, before any.
    /// - Returns: What was planned, with the steps that were taken.
    public static func apply(
        _ definition: APIDefinition, _ configuration: Configuration, renaming requests: [RenameRequest] = [],
        isAllowed: (Migrations) throws -> Bool
    ) throws -> Migrations {
        try withStore(of: configuration) { store in
            let renames = try requests.renames(for: definition)
            let plan = try plan(definition, configuration, renaming: requests)
            let mayLose = try plan.losesData && isAllowed(plan)
            _ = try store.carryOutMigration(
                to: definition.tables, renaming: renames, allowing: mayLose ? .losesData : .converts,
                keepsIndexes: false)
            return plan
        }
    }

    /// Removes what is left over, under the folder's lock; `isAllowed` decides, once, if that loses anything. Steps that
    /// the schema still needs and that change no data are taken before.
    public static func drop(
        _ definition: APIDefinition, _ configuration: Configuration, isAllowed: (Migrations) throws -> Bool
    ) throws -> Migrations {
        try withStore(of: configuration) { store in
            let plan = try plan(definition, configuration)
            guard !plan.leftovers.isEmpty else { return plan }
            _ = try store.carryOutMigration(
                to: definition.tables, renaming: [], allowing: .none, keepsIndexes: false)
            guard try !plan.leftoversHoldData || isAllowed(plan) else {
                throw ServerError(.refused, "Nothing was removed.")
            }
            try store.dropLeftovers(beside: definition.tables)
            return plan
        }
    }

    private static func withStore(
        of configuration: Configuration, _ body: (any Store) throws -> Migrations
    ) throws -> Migrations {
        let store: any Store
        do {
            store = try LocalStore.open(
                folder: configuration.data.folder, options: .init(durability: .full, limits: configuration.limits.store)
            )
        } catch {
            throw ServerError(opening: configuration.data.folder, error)
        }
        defer { store.close() }
        PrivateFiles.secure(configuration.data.folder)
        do {
            return try body(store)
        } catch let error as StoreError {
            throw ServerError(migrating: error)
        }
    }

    private init(_ definition: APIDefinition, _ survey: StoreSurvey, _ renames: [Rename]) throws(StoreError) {
        steps = try survey.plan(for: definition.tables, renaming: renames).map(Step.init)
        misfits = try Misfit.find(definition, in: survey, renaming: renames)
        ownerless = try OwnerlessItems.find(definition, in: survey, renaming: renames)
        let asked = Set(renames)
        possibleRenames = try survey.possibleRenames(to: definition.tables).filter { !asked.contains($0) }
        let leftovers = try survey.leftovers(beside: definition.tables).filter { !$0.isRenamed(by: renames) }
        self.leftovers = leftovers.map(\.text)
        leftoversHoldData = leftovers.contains { $0.count > 0 }
    }

    /// The steps of a first start.
    private init(making definition: APIDefinition) {
        steps = definition.tables.map { Step(MigrationStep(summary: "Make the table \($0.name).")) }
        (misfits, ownerless, possibleRenames, leftovers, leftoversHoldData) = ([], [], [], [], false)
    }

    /// Everything for people, one a line.
    public var text: String {
        var lines = steps.map { step in step.hint.map { "\(step.text)\n  hint: \($0)" } ?? step.text }
        if lines.isEmpty { lines = ["The stored tables fit the schema; there is nothing to do."] }
        return (lines + remarks).joined(separator: "\n")
    }

    /// What is no step, one a line.
    var remarks: [String] {
        var lines = misfits.map { "DOES NOT FIT: \($0.text)" }
        lines += ownerless.map { "WITHOUT OWNER: \($0.text)" }
        lines += renames.map { "RENAMED? \($0)" }
        if !leftovers.isEmpty {
            lines.append(
                "Left over: \(leftovers.joined(separator: ", ")). It stays until 'syncline migrate drop' removes it.")
        }
        return lines
    }
}

extension Leftover {
    var text: String {
        switch self {
        case .table(let name, let items): "table \(name) (\(Counted.text(items, "item")))"
        case .column(let table, let name, let values):
            "column \(table).\(name) (\(Counted.text(values, "value")))"
        }
    }

    func isRenamed(by renames: [Rename]) -> Bool {
        renames.contains { rename in
            switch (self, rename) {
            case (.table(let name, _), .table(let old, _)): name == old
            case (.column(let table, let name, _), .column(let other, let old, _)): table == other && name == old
            default: false
            }
        }
    }
}
