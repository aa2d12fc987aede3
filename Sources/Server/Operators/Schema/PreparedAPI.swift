/// An API that is whole and not yet served.
struct PreparedAPI: Sendable {
    let servedAPI: ServedAPI
    let schema: ServedSchema
}
