import JSON

/// The rejected parts of a job's input that its result lists: the first ones, in a bounded number of bounded bytes. Callers choose what
/// they say, and the result is kept after the job.
struct RejectList: Sendable {
    private(set) var elements: [JSONValue] = []
    /// Whether nothing is added any more.
    private(set) var isFull = false
    private var byteCount = 0
    private let countMax: Int

    init(countMax: Int) { self.countMax = countMax }

    mutating func add(_ reject: JSONValue) {
        guard !isFull else { return }
        byteCount += reject.description.utf8.count
        guard byteCount <= JobLimits.rejectBytesMax else {
            isFull = true
            return
        }
        elements.append(reject)
        isFull = elements.count == countMax
    }

    /// A reason as it is listed: a mutation's message may repeat the whole value.
    static func reason(_ text: String) -> String {
        LogText.excerpt(text, charactersMax: JobLimits.reasonCharactersMax)
    }
}
