import JSON

/// The JSON envelope of a request: what to run, with which variables. GraphQL over HTTP, §"Request Parameters".
struct GraphQLRequest: Sendable {
    /// The document as UTF-8.
    var query: [UInt8] = []
    var operationName: String?
    var variables: JSONObject?

    /// Reads `{"query": …, "variables": …, "operationName": …, "extensions": …}`; other members are passed over.
    /// The document's buffer is kept from request to request.
    mutating func read(_ body: UnsafeRawBufferPointer, depthMax: Int) throws(EnvelopeError) {
        query.removeAll(keepingCapacity: true)
        operationName = nil
        variables = nil
        guard !body.isEmpty else { throw .emptyBody }
        var hasQuery = false
        do throws(JSONError) {
            var scanner = JSONScanner(body, depthMax: depthMax + 1)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                if scanner.isEqual(key, "query") {
                    query.removeAll(keepingCapacity: true)
                    scanner.append(try scanner.readString(), to: &query)
                    hasQuery = true
                } else if scanner.isEqual(key, "variables") {
                    variables = try scanner.peekKind() == .null ? skipNull(&scanner) : scanner.readObject()
                } else if scanner.isEqual(key, "operationName") {
                    if try scanner.peekKind() == .null {
                        operationName = try skipNull(&scanner)
                    } else {
                        operationName = scanner.string(try scanner.readString())
                    }
                } else {
                    try scanner.skipValue()
                }
            }
            try scanner.finish()
        } catch { throw .unreadable }
        guard hasQuery, !query.isEmpty else { throw .unreadable }
    }

    private func skipNull<Value>(_ scanner: inout JSONScanner) throws(JSONError) -> Value? {
        try scanner.readNull()
        return nil
    }
}

/// A body that is no GraphQL request; HTTP 400 (appsync-protocol §1.5).
public struct EnvelopeError: Error, Sendable, Hashable {
    /// AppSync's word for it, also for `x-amzn-ErrorType`.
    public var errorType: String
    /// What the caller reads.
    public var message: String

    static let emptyBody = malformed("Request body is empty.")
    static let unreadable = malformed("Unable to parse GraphQL query.")

    private static func malformed(_ message: String) -> EnvelopeError {
        EnvelopeError(errorType: "MalformedHttpRequestException", message: message)
    }
}
