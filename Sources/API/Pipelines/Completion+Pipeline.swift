import JSON
import Tables

/// Completion of what pipelines have answered before the walk.
extension Completion {
    mutating func completePipeline(
        _ plan: PipelinePlan, _ field: PlannedField, of row: some ParentRow
    ) throws(StoreError) -> Bool {
        guard takeResolver() else { return passResolverLimit(field) }
        guard case .gathered(let rows, _) = scope.source else {
            preconditionFailure("a plan with a pipeline is gathered")
        }
        switch rows.outcome(of: field, under: row.number) {
        case .value(let value): return try complete(value, plan.shape, field)
        case .failed(let error): return fail(field, error)
        case nil:
            // It was not run: its arguments could not be had, or the request had passed its limit.
            guard coerceArguments(plan.template) != nil else { return collapse(field, to: writer.mark()) }
            return passResolverLimit(field)
        }
    }
}
