import JSON
import Tables

/// Transactions that store endpoints and events.
extension Analytics {
    /// Runs a body in a transaction that stores endpoints and events.
    ///
    /// All writes wait for a transaction, so large documents of endpoints are not merged in it: it ends without a result, they are
    /// merged on the current thread, and it is run again. It compares the stored documents with those that were merged.
    ///
    /// - Parameters:
    ///   - now: The time of arrival, in milliseconds since 1970.
    ///   - byteCount: Bytes that the body holds while it waits, roughly.
    ///   - changes: The updates that the body applies.
    func ingest<Success: Sendable>(
        _ app: String, now: Int64, byteCount: Int, _ changes: [(id: String, change: EndpointChange)],
        _ body: @escaping @Sendable (inout Ingestion) throws(StoreError) -> Success
    ) async throws(AnalyticsError) -> Success {
        let (tables, limits) = (tables, limits)
        var merges: [ExactText: EndpointMerge] = [:]
        for _ in 0..<Self.mergeAttemptsMax {
            let prepared = merges
            let mergedBytes = prepared.values.reduce(0) { $0 + $1.byteCount }
            let demand = MergeDemand()
            do throws(AnalyticsError) {
                return try await transact(byteCount: byteCount + mergedBytes) { (transaction) throws(StoreError) in
                    var ingestion = try Ingestion(
                        app, now: now, tables, limits, merges: prepared, demand, transaction)
                    let success = try body(&ingestion)
                    try ingestion.finish()
                    return success
                }
            } catch {
                guard demand.isRaised else { throw error }
            }
            merges = try await merge(app, changes)
        }
        throw AnalyticsError(MergeDemand.error)
    }

    /// Attempts to store endpoints that are changed concurrently.
    private static let mergeAttemptsMax = 5

    /// Merges updates with what is stored. Updates beyond the bytes that a request may have are refused.
    private func merge(
        _ app: String, _ changes: [(id: String, change: EndpointChange)]
    ) async throws(AnalyticsError) -> [ExactText: EndpointMerge] {
        let number = try await number(ofApp: app)
        var merges: [ExactText: EndpointMerge] = [:]
        var byteCount = 0
        for (id, change) in changes where !change.isEmpty {
            guard byteCount <= limits.endpointsPerRequestBytesMax else {
                merges[ExactText(id)] = EndpointMerge(refused: .requestTooLarge(limits))
                continue
            }
            var stored: String?
            if let number {
                stored = try await reads.item(of: tables.endpoint, key: [.integer(number), .text(id)])?
                    .text(AnalyticsTables.Endpoint.document)
            }
            let merge = EndpointMerge(stored, change, limits)
            byteCount += merge.byteCount
            merges[ExactText(id)] =
                byteCount <= limits.endpointsPerRequestBytesMax
                ? merge : EndpointMerge(refused: .requestTooLarge(limits))
        }
        return merges
    }
}
