/// One step of a migration, for people.
public struct MigrationStep: Sendable, Hashable {
    /// What a step does to the data that is there.
    public enum Effect: Int, Sendable, Hashable, Comparable {
        /// Nothing is lost and every value stays what it is: the step adds, drops what can be made again, or widens.
        case none
        /// Items are copied into another shape, whole.
        case converts
        /// Items or attributes may be lost.
        case losesData

        /// By how much a step does.
        public static func < (left: Effect, right: Effect) -> Bool { left.rawValue < right.rawValue }
    }

    /// How many items a step concerns, and what becomes of them.
    public struct Counts: Sendable, Hashable {
        /// The items of the table before the step, tombstones included.
        public var items: Int
        /// The items that the step removes.
        public var removedItems: Int
        /// The attributes, of items that stay, that the step removes or changes.
        public var lostValues: Int

        /// Counts of a step.
        public init(items: Int, removedItems: Int = 0, lostValues: Int = 0) {
            self.items = items
            self.removedItems = removedItems
            self.lostValues = lostValues
        }
    }

    /// What a step does to a table, for programs.
    public enum Action: Sendable, Hashable {
        case makeTable
        case renameTable(old: String)
        case addColumn(String)
        case renameColumn(old: String, new: String)
        case makeIndex(String)
        case dropIndex(String)
        /// The primary key or the types of columns change.
        case copyTable
        /// Versions are switched on or off.
        case versions
        case other
    }

    /// What is done, as a sentence.
    public var summary: String
    /// What it does to the data that is there. Before anything is counted, the most that it could do.
    public var effect: Effect
    /// What to know or do about it, as a sentence.
    public var hint: String?
    /// What was counted; nil of a new table, and until `StoreSurvey` has counted.
    public var counts: Counts?

    /// What is done, for programs.
    public var action: Action
    /// The name of the table, as it is declared.
    public var table: String

    /// Makes a step of its parts.
    public init(
        summary: String, effect: Effect = .none, hint: String? = nil, counts: Counts? = nil, action: Action = .other,
        table: String = ""
    ) {
        (self.action, self.table) = (action, table)
        self.summary = summary
        self.effect = effect
        self.hint = hint
        self.counts = counts
    }

    /// Whether items or attributes may be lost by it.
    public var losesData: Bool { effect == .losesData }
}
