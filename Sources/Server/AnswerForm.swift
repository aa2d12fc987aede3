/// The two ways to answer a GraphQL request (reference: appsync-protocol, "GraphQL over HTTP"), selected by `Accept`.
enum AnswerForm: Sendable, Hashable {
    /// AppSync's: `application/json`, and 200 for whatever became of a well-formed request.
    case appSync
    /// GraphQL over HTTP's `application/graphql-response+json`: 400 for a request that could not be executed.
    case graphQLResponse

    /// What the field asks for. Nothing, or what the field does not rule out, is AppSync's way; the newer media type
    /// must be named, and liked no less. `nil` when neither is acceptable.
    init?(accept: UnsafeRawBufferPointer?) {
        // What nearly every client sends needs no reading.
        guard let accept = unsafe accept, unsafe !accept.isEmpty, unsafe !accept.isEqual(to: "*/*"),
            unsafe !accept.isEqual(to: "application/json")
        else {
            self = .appSync
            return
        }
        unsafe self.init(Accept(String(decoding: accept, as: UTF8.self)))
    }

    private init?(_ accept: Accept) {
        let wildcard = accept.anyApplication ?? accept.anything ?? 0
        let json = accept.json ?? wildcard
        if let named = accept.graphQLResponse, named > 0, named >= json {
            self = .graphQLResponse
        } else if json > 0 {
            self = .appSync
        } else if accept.graphQLResponse ?? wildcard > 0 {
            self = .graphQLResponse
        } else {
            return nil
        }
    }
}

/// What an Accept field says of the media types that matter here, each with its weight. RFC 9110 §12.5.1.
private struct Accept {
    var json: Double?
    var graphQLResponse: Double?
    var anyApplication: Double?
    var anything: Double?

    init(_ field: String) {
        for member in field.lowercased().split(separator: ",") {
            let parts = member.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
            guard let range = parts.first else { continue }
            let weight = Self.weight(parts.dropFirst())
            switch range {
            case "application/json": json = max(json ?? 0, weight)
            case "application/graphql-response+json": graphQLResponse = max(graphQLResponse ?? 0, weight)
            case "application/*": anyApplication = max(anyApplication ?? 0, weight)
            case "*/*": anything = max(anything ?? 0, weight)
            default: break
            }
        }
    }

    /// RFC 9110 §12.4.2: `q=0.5`. One that cannot be read is as none.
    private static func weight(_ parameters: some Sequence<String>) -> Double {
        for parameter in parameters where parameter.hasPrefix("q=") {
            if let weight = Double(parameter.dropFirst(2)), (0...1).contains(weight) { return weight }
        }
        return 1
    }
}
