import Tables
public import Transformer

/// The steps between the stored tables and a schema, for people who want to see or allow them.
public struct Migrations: Sendable {
    /// One step.
    public struct Step: Sendable, Hashable {
        /// What is done, as a sentence.
        public let summary: String
        /// Whether items or attributes may be lost by it.
        public let losesData: Bool
        /// What to know or do about it, as a sentence.
        public let hint: String?

        init(_ step: MigrationStep) {
            summary = step.summary
            losesData = step.losesData
            hint = step.hint
        }
    }

    /// The steps, in their order.
    public let steps: [Step]

    /// Whether any of the steps may lose data.
    public var losesData: Bool { steps.contains(where: \.losesData) }

    /// Reads the stored tables without the folder's lock, beside a server that runs.
    public static func plan(_ definition: APIDefinition, inFolder folder: String) throws(ServerError) -> Migrations {
        do {
            guard let catalog = try SQLiteStore.inspect(folder: folder) else { return Migrations(making: definition) }
            return Migrations(steps: try catalog.plan(for: definition.tables).map(Step.init))
        } catch {
            throw ServerError(opening: folder, error)
        }
    }

    /// Takes the steps under the folder's lock; `isAllowed` decides about steps that lose data, once, before any.
    public static func apply(
        _ definition: APIDefinition, _ configuration: Configuration, isAllowed: (Migrations) throws -> Bool
    ) throws -> Migrations {
        let store: SQLiteStore
        do {
            store = try SQLiteStore(
                folder: configuration.data, options: .init(durability: .full, limits: configuration.limits.store))
        } catch {
            throw ServerError(opening: configuration.data, error)
        }
        defer { store.close() }
        do {
            let plan = Migrations(steps: try store.plan(for: definition.tables).map(Step.init))
            let mayLose = try plan.losesData && isAllowed(plan)
            _ = try store.migrate(to: definition.tables, allowing: mayLose ? .losesData : .converts)
            return plan
        } catch let error as StoreError {
            throw ServerError(migrating: error)
        }
    }

    private init(steps: [Step]) { self.steps = steps }

    /// The steps of a first start.
    private init(making definition: APIDefinition) {
        steps = definition.tables.map { Step(MigrationStep(summary: "Make the table \($0.name).")) }
    }
}
