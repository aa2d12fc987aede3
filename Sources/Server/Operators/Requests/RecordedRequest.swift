import API
import HTTP
import JSON
import Tables

/// A request of the API as it is kept for operators: what was asked, who asked, and what became of it. Documents, variables and
/// answers are kept only where they may be shown.
struct RecordedRequest: Sendable {
    /// How it came.
    enum Transport: String, Sendable {
        case http
        case webSocket = "websocket"
        /// By the operators' API.
        case operators
    }

    /// What was sent, in a copy of its own.
    enum Content: Sendable {
        /// The head, and the document and variables if they may be kept.
        case request(Request)
        /// The envelope of an operation without a request of its own, if it may be kept, and the client's name for itself.
        case operation(envelope: [UInt8]?, client: String?)
    }

    /// Its place in the order of all.
    var number: Int64 = 0
    let id: RequestID
    let transport: Transport
    /// When it came, in milliseconds since 1970.
    let milliseconds: Int64
    /// How long the answer took.
    let nanoseconds: Int64
    let peer: Peer
    /// The caller, made by `caller(_:named:)`.
    let caller: JSONValue
    let content: Content
    let status: Int
    /// Each once.
    let errorTypes: [String]
    let operation: OperationRecord?
    /// The name of an operation without a plan.
    var operationName: String?
    /// The type of an operation without a plan; nil if it is not known.
    var operationType: String?
    /// What the answer has cost the store; nil if nothing was executed.
    let work: AnswerWork?
    let answerBytes: Int
    /// The beginning of the answer; nil if it may not be kept.
    let answer: [UInt8]?
    /// Why rules decided as they did, as JSON, if they refused something or the request asked; only where the answer may be kept.
    let explanation: [UInt8]?
    /// The caller's identity, by which rules are explained when somebody looks; only where the answer may be kept.
    var identity: Identity?
    /// How long it took until the caller was known; nil if it was not measured.
    var authenticationNanoseconds: Int64?
    /// Whether the plan was made for an earlier request; nil if nothing was executed.
    var isPlanCached: Bool?
    /// The writes of a mutation, and their events.
    var notes: WorkNotes?

    /// Bytes of memory that it takes, roughly.
    var byteCount: Int {
        let content =
            switch content {
            case .request(let request): request.keptByteCount + 1_024
            case .operation(let envelope, let client): (envelope?.count ?? 0) + (client?.utf8.count ?? 0)
            }
        let texts = errorTypes + (caller.objectValue?.compactMap(\.value.stringValue) ?? [])
        let ofTexts = texts.reduce(0) { $0 + $1.utf8.count }
        let ofReads = (work?.statements ?? []).reduce(0) { $0 + $1.sql.utf8.count }
        let ofNotes = notes.map { 256 + 512 * ($0.writes.count + $0.events.count) } ?? 0
        return 1_024 + content + ofTexts + ofReads + ofNotes + (answer?.count ?? 0) + (explanation?.count ?? 0)
            + (identity?.keptByteCount ?? 0)
    }

    // MARK: - What is kept of an answer

    /// The types of an answer's errors, each once, at most `ConsoleLimits.recordedErrorTypeCountMax`.
    static func distinct(_ errorTypes: [String]) -> [String] {
        var found: [String] = []
        for errorType in errorTypes where !found.contains(errorType) {
            guard found.count < ConsoleLimits.recordedErrorTypeCountMax else { break }
            found.append(errorType)
        }
        return found
    }

    /// What a WebSocket keeps of its client's name for itself, which may be as long as a head.
    static func clientName(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(ConsoleLimits.recordedClientScalarCountMax)))
    }

    /// What is kept of a report: itself, it would keep the plan, the schema, the variables and an error for each item of a list.
    static func explanation(of report: AnswerReport?) -> [UInt8]? {
        report?.explanation.map { Array($0.json.description.utf8) }
    }

    /// The beginning of an answer, at most `ConsoleLimits.recordedAnswerBytesMax`, that ends with a whole character.
    static func beginning(of answer: UnsafeRawBufferPointer) -> [UInt8] {
        let bytesMax = ConsoleLimits.recordedAnswerBytesMax
        guard answer.count > bytesMax else { return unsafe [UInt8](answer) }
        var end = bytesMax
        // RFC 3629 §3: further bytes of a character begin with the bits 10.
        while end > 0, unsafe answer[end] & 0xC0 == 0x80 { end -= 1 }
        return unsafe [UInt8](answer[..<end])
    }
}
