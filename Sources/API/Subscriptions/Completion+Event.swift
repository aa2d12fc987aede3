import GraphQL
import JSON
import Tables

/// Completion of what subscribers are sent: of the result of a mutation, whose nested resolvers have run already, or of
/// the committed item.
extension Completion {
    /// `{"data":{"onCreatePost":…}}` and the errors there were. The field's own null stands inside `data`: of a message
    /// whose `data` is null, clients make nothing
    /// (reference: appsync-protocol, "Starting and stopping a subscription").
    mutating func completeEvent(
        _ event: Event, _ plan: SubscriptionPlan, at field: PlannedField
    ) throws(StoreError) {
        guard scope.plan.isDeep else { return try completeData(event, plan, field) }
        try LargeStack.run { () throws(StoreError) in try completeData(event, plan, field) }
    }

    private mutating func completeData(
        _ event: Event, _ plan: SubscriptionPlan, _ field: PlannedField
    ) throws(StoreError) {
        writer.append("{\"data\":{")
        writer.append(field.key)
        let mark = writer.mark()
        if try !completeSelection(event, plan, field) {
            writer.rewind(to: mark)
            writer.writeNull()
        }
        try checkSize()
        locate(from: 0, at: .key(field.responseKey))
        writer.append(UInt8(ascii: "}"))
        writeThinErrors()
        writer.append(UInt8(ascii: "}"))
    }

    private mutating func completeSelection(
        _ event: Event, _ plan: SubscriptionPlan, _ field: PlannedField
    ) throws(StoreError) -> Bool {
        guard let row = event.row, let rowPlan = plan.row else { return try complete(event.tree, plan.shape, field) }
        return try completeObject(rowPlan.fields, of: row.item(as: rowPlan.table))
    }

    /// Errors of the realtime channel have no locations
    /// (reference: appsync-protocol, "Errors on the realtime channel").
    private mutating func writeThinErrors() {
        guard !errors.isEmpty else { return }
        writer.append(",\"errors\":[")
        for (index, error) in errors.enumerated() {
            if index > 0 { writer.append(UInt8(ascii: ",")) }
            error.graphQLError.writeThin(into: &writer)
        }
        writer.append(UInt8(ascii: "]"))
    }

    /// The buffer, when nothing more is completed.
    consuming func takeWriter() -> JSONWriter { writer }
}
