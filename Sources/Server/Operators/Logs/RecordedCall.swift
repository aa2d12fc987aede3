import JSON

/// A call of a function by its URL, as operators see it.
struct RecordedCall: Sendable {
    /// What came of it.
    enum Outcome: Sendable {
        /// The function's answer; any status is one.
        case answered(status: Int, isFunctionError: Bool)
        /// Why there is no answer.
        case failed(String)
    }

    let purpose: OutgoingCall.Purpose
    let function: String
    /// Without what may be secret of it.
    let url: String
    /// When it began, in milliseconds since 1970.
    let milliseconds: Int64
    /// How long it took, the wait for others included.
    let nanoseconds: Int64
    let outcome: Outcome
    /// Bytes of the answer; nil if there is none.
    var answerBytes: Int?
    /// The beginning of the answer; nil if it may not be kept.
    var answer: [UInt8]?

    /// Bytes of memory that it takes, roughly.
    var byteCount: Int { 256 + function.utf8.count + url.utf8.count + (answer?.count ?? 0) }

    /// Whether the function gave no result.
    var isFailure: Bool {
        switch outcome {
        case .answered(let status, let isFunctionError): isFunctionError || !(200..<300).contains(status)
        case .failed: true
        }
    }

    /// As an entry of `GET /function-calls`.
    var json: JSONValue {
        var (status, error): (JSONValue, JSONValue) = (.null, .null)
        switch outcome {
        case .answered(let code, let isFunctionError):
            status = .number(String(code))
            if isFunctionError { error = "The function failed." }
        case .failed(let reason): error = .string(reason)
        }
        return [
            "at": .string(Moment(milliseconds: milliseconds).text), "kind": .string(purpose.name),
            "function": .string(function), "url": .string(url),
            "milliseconds": RecordedRequest.json(nanoseconds: nanoseconds), "status": status, "error": error,
            "failed": .bool(isFailure), "bytes": answerBytes.map { .number(String($0)) } ?? .null,
            "answer": answer.map { .string(String(decoding: $0, as: UTF8.self)) } ?? .null,
            "answerIsCut": .bool(answer.map { $0.count < answerBytes ?? 0 } ?? false),
        ]
    }
}

extension OutgoingCall.Purpose {
    /// As the operators' API has it.
    var name: String {
        switch self {
        case .conflict: "conflict"
        case .pipeline: "resolver"
        case .trigger: "trigger"
        case .objectEvent: "objectEvent"
        case .identityProvider: "identityProvider"
        case .authorizer: "authorizer"
        }
    }

    /// Whether the answer may be kept. Those of triggers and authorizers have codes and claims of users.
    fileprivate var hasPlainAnswer: Bool { self == .pipeline || self == .conflict }
}

extension RecordedCall {
    /// What is kept of a call, now that it has ended.
    init(
        _ call: OutgoingCall, of function: String, at milliseconds: Int64, nanoseconds: Int64,
        _ result: Result<OutgoingCall.Answer, OutgoingError>, keepsAnswer: Bool
    ) {
        let outcome: Outcome =
            switch result {
            case .success(let answer): .answered(status: answer.status, isFunctionError: answer.isFunctionError)
            case .failure(let error): .failed(error.reason)
            }
        self.init(
            purpose: call.purpose, function: function, url: Function.shown(call.url), milliseconds: milliseconds,
            nanoseconds: nanoseconds, outcome: outcome)
        guard case .success(let answer) = result else { return }
        answerBytes = answer.body.count
        if keepsAnswer, call.purpose.hasPlainAnswer {
            self.answer = Array(answer.body.prefix(ConsoleLimits.recordedCallAnswerBytesMax))
        }
    }
}
