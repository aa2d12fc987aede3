import GraphQL
import Tables

/// A field that fetches, as far as it is gathered: what it asks, and the keys of its parents.
final class GatheredField {
    enum Source {
        /// The field's arguments could not be had; its completion notes why.
        case unavailable
        case item(ItemPlan)
        case page(PagePlan, PageArguments)
        case sync(SyncPlan, SyncArguments)
    }

    /// One fetch for each of the keys: the item, the `items` of a page, or where a page ends.
    struct Part {
        /// The fields that read its rows.
        var fields: [PlannedField]
        /// What is selected of each item, as far as it fetches.
        var selection: [PlannedField]
        /// Items whose selections are completed, at most. A row after them only shows that there is one.
        var itemsMax: Int
        var fetch: ([BatchFetch.Key]) -> BatchFetch
    }

    let field: PlannedField
    /// The items that the rules allow; nil allows all.
    let allowed: RowDecision?
    let source: Source
    /// The page's request, all but for its key; the same for all parents.
    var request: PageRequest?
    /// The sync's request, once it has begun.
    var sync: SyncRequest?
    /// Whether it is among the fields of the next wave.
    var isWaiting = false
    /// Groups of keys that were asked for.
    var groupCount = 0
    private var newKeys: [BatchFetch.Key] = []
    private var parentsByKey: [BatchFetch.Key: [Int]] = [:]

    init(_ field: PlannedField, _ scope: Completion.Scope, _ allowed: RowDecision?) {
        self.field = field
        self.allowed = allowed
        let schema = scope.schema
        func arguments(_ template: ArgumentTemplate) -> ArgumentValues? {
            try? template.coerceArgumentValues(scope.variables)
        }
        switch field.resolution {
        case .item(let plan): source = .item(plan)
        case .page(let plan):
            source =
                arguments(plan.arguments).map {
                    .page(plan, PageArguments($0, of: plan, field, schema, allowed: allowed))
                } ?? .unavailable
        case .sync(let plan):
            source =
                arguments(plan.arguments).flatMap { given in
                    try? SyncArguments(
                        given, of: field, by: plan, options: schema.options, filters: schema.filterRules,
                        environment: schema.environment)
                }.map { .sync(plan, $0) } ?? .unavailable
        default: source = .unavailable
        }
    }

    // MARK: - Keys

    /// A parent's row needs the rows of a key. Equal keys are fetched once.
    func add(_ key: BatchFetch.Key, under parent: Int) {
        if parentsByKey[key] == nil { newKeys.append(key) }
        parentsByKey[key, default: []].append(parent)
    }

    /// The keys that were added since they were last taken.
    func takeKeys() -> [BatchFetch.Key] {
        defer { newKeys = [] }
        return newKeys
    }

    func parents(of key: BatchFetch.Key) -> [Int] { parentsByKey[key] ?? [] }

    // MARK: - Fetches

    /// What is fetched for each key.
    func parts(_ scope: Completion.Scope) -> [Part] {
        switch source {
        case .unavailable: return []
        case .item(let plan):
            let narrowed =
                allowed.map { plan.fetch(narrowedBy: $0.condition, from: scope.schema.fetches) }
                ?? ItemPlan.NarrowedFetch(fetch: plan.fetch)
            return [
                Part(fields: [field], selection: plan.selection.fields.filter(\.resolution.isGathered), itemsMax: 1) {
                    BatchFetch(narrowed.fetch, keys: $0, filter: narrowed.values, rowsMax: 1)
                }
            ]
        case .page(let plan, let arguments):
            guard let request else { return [] }
            let fillsPages = scope.schema.options.fillsPages
            return parts(plan.parts, bare: plan.bare, scope, itemsMax: request.limit) { family, keys in
                BatchFetch(
                    arguments.fetch(of: family, for: request), keys: keys,
                    sort: arguments.hasParentsSort ? nil : request.sort, filter: request.filter?.values ?? [],
                    after: request.after, rowsMax: fillsPages ? .max : request.limit,
                    // One more shows whether there is another page.
                    matchesMax: fillsPages ? request.limit + 1 : .max)
            }
        case .sync(let plan, _):
            guard let request = sync else { return [] }
            return parts(plan.parts, bare: plan.bare, scope, itemsMax: request.limit) { fetches, keys in
                BatchFetch(
                    fetches.fetch(for: request), keys: keys, filter: request.filter?.values ?? [],
                    after: request.after, rowsMax: request.rowsMax, matchesMax: request.limit)
            }
        }
    }

    /// One for each `items`, the first of which also determines where the page ends. Without `items` there is one that reads
    /// no column.
    private func parts<Fetches>(
        _ connection: [(field: PlannedField, part: ConnectionPart<Fetches>)], bare: Fetches, _ scope: Completion.Scope,
        itemsMax: Int, _ fetch: @escaping (Fetches, [BatchFetch.Key]) -> BatchFetch
    ) -> [Part] {
        var parts: [Part] = []
        var tokens: [PlannedField] = []
        for (field, part) in connection where field.isIncluded(scope.variables) {
            switch part {
            case .items(let fetches, let selection):
                parts.append(
                    Part(
                        fields: [field], selection: selection.fields.filter(\.resolution.isGathered), itemsMax: itemsMax
                    ) { fetch(fetches, $0) })
            case .nextToken: tokens.append(field)
            case .startedAt, .typename, .null: break
            }
        }
        guard !tokens.isEmpty else { return parts }
        if parts.isEmpty { parts = [Part(fields: [], selection: [], itemsMax: 0) { fetch(bare, $0) }] }
        parts[0].fields += tokens
        return parts
    }
}
