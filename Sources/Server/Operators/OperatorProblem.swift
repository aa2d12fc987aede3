import JSON
import Transformer

/// An error of the operators' API: an HTTP status, and a body with a stable `code` and a sentence for people.
struct OperatorProblem: Error, Sendable {
    enum Code: String, Sendable {
        case signedOut = "signed_out"
        case forbidden
        case notFound = "not_found"
        case conflict
        case invalid
        case limited
        case needsScan = "needs_scan"
        case needsConfirmation = "needs_confirmation"
        case tooLarge = "too_large"
        case misdirected
        case unavailable
        case `internal`
    }

    let code: Code
    let message: String
    var hint: String?
    /// The member of the body, or the parameter, that is wrong.
    var field: String?
    /// What a program may need to go on, such as the present state; nil where there is nothing.
    var details: JSONObject?
    /// When to try again, in seconds; nil where it is not known.
    var retrySeconds: Int?

    static let noUserPools = OperatorProblem(
        code: .notFound, message: "This server has no user pools.",
        hint: "Configure 'userPool'; 'syncline dev' makes one by itself.")
    static let noBuckets = OperatorProblem(
        code: .notFound, message: "The server that runs on this data folder serves no buckets.",
        hint: "Add 'storage' to its configuration and restart it, or stop it first.")
    static let unknownPath = OperatorProblem(code: .notFound, message: "The operators' API has no such path.")
    static let limited = OperatorProblem(
        code: .limited, message: "Too many operators' requests are in progress. Try again later.")

    static let notReady = OperatorProblem(
        code: .unavailable, message: "The server is starting or shutting down. Try again later.")

    static func invalid(_ message: String, field: String?) -> OperatorProblem {
        OperatorProblem(code: .invalid, message: message, field: field)
    }

    static func unknownOperator(_ name: String) -> OperatorProblem {
        OperatorProblem(
            code: .notFound, message: "There is no operator \(name). 'syncline operators list' shows all.")
    }

    static func unknownKey(_ name: String) -> OperatorProblem {
        OperatorProblem(code: .notFound, message: "There is no API key \(name). 'syncline keys list' shows all.")
    }

    init(code: Code, message: String, hint: String? = nil, field: String? = nil) {
        (self.code, self.message, self.hint, self.field) = (code, message, hint, field)
    }

    /// The problem for an error that a verb would end with.
    init(_ error: ServerError) {
        code =
            switch error.code {
            case .usage, .invalid: .invalid
            case .refused, .differences: .conflict
            case .data, .address: .unavailable
            case .failed: .internal
            }
        message = error.diagnostics.map(\.message).joined(separator: "\n")
        hint = error.diagnostics.compactMap(\.hint).first
    }

    /// Reads the body of an answer; nil if it is not that of an error.
    init?(_ body: JSONValue) {
        guard let error = body["error"], let code = error["code"]?.stringValue.flatMap(Code.init),
            let message = error["message"]?.stringValue
        else { return nil }
        self.init(
            code: code, message: message, hint: error["hint"]?.stringValue, field: error["field"]?.stringValue)
    }

    var status: Int {
        switch code {
        case .signedOut: 401
        case .forbidden: 403
        case .notFound: 404
        case .conflict, .needsScan, .needsConfirmation: 409
        case .tooLarge: 413
        case .invalid: 422
        case .limited: 429
        case .misdirected: 421
        case .unavailable: 503
        case .internal: 500
        }
    }

    /// The header lines of the answer, beside those of all.
    var fields: [(name: String, value: String)] {
        var fields: [(name: String, value: String)] = code == .signedOut ? [("WWW-Authenticate", "Bearer")] : []
        if let retrySeconds { fields.append(("Retry-After", String(retrySeconds))) }
        return fields
    }

    /// The error that a verb ends with.
    var serverError: ServerError {
        let code: ServerError.Code =
            switch code {
            case .invalid, .notFound, .tooLarge: .usage
            case .conflict, .needsScan, .needsConfirmation: .refused
            case .unavailable: .data
            case .signedOut, .forbidden, .limited, .misdirected, .internal: .failed
            }
        return ServerError(code, message, hint: hint)
    }

    func body(requestID: String) -> JSONValue {
        var error: JSONObject = ["code": .string(code.rawValue), "message": .string(message)]
        error["hint"] = hint.map(JSONValue.string)
        error["field"] = field.map(JSONValue.string)
        error["details"] = details.map(JSONValue.object)
        error["requestId"] = .string(requestID)
        return .object(["error": .object(error)])
    }
}
