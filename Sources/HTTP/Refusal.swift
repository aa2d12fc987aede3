/// Why the server itself turns a request away, before any responder sees it.
struct Refusal: Error, Equatable {
    /// The status of the answer.
    let status: Int
    /// One sentence for the client's developer: what is wrong, or what the bound is.
    let message: String

    static func malformed(_ message: String) -> Refusal { Refusal(status: 400, message: message) }

    /// The answer, in AppSync's form: the type in a header and in the body.
    /// The server refuses with fixed sentences only, so the message needs no escaping.
    func response(headers: HeaderBlock) -> Response {
        let type = Refusal.errorType(for: status)
        var fields = [(name: "x-amzn-ErrorType", value: type)]
        // RFC 9110 §10.2.3, in seconds: a place may be free again soon.
        if status == 503 { fields.append(("Retry-After", "1")) }
        return Response(
            status: status, headers: headers, fields: fields,
            body: Array(#"{"errors":[{"errorType":"\#(type)","message":"\#(message)"}]}"#.utf8))
    }

    /// AppSync: errorType.
    static func errorType(for status: Int) -> String {
        switch status {
        case 408: "RequestTimeoutException"
        case 413, 414, 431: "RequestEntityTooLargeException"
        case 415: "UnsupportedMediaTypeException"
        case 503: "ServiceUnavailableException"
        case 500: "InternalFailure"
        default: "MalformedHttpRequestException"
        }
    }
}
