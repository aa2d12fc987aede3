import NIOCore

/// The answers of one connection: given in any order, written in that of their requests.
struct AnswerOrder {
    /// Requests that were taken; the number of the next one.
    private(set) var issuedCount = 0
    /// Answers that are written; the number of the next one.
    private(set) var writtenCount = 0
    /// Answers that are ready before their turn, by their number.
    private var waiting: [Int: WaitingAnswer] = [:]
    /// Bytes of those.
    private(set) var waitingBytes = 0

    /// Requests that have no written answer.
    var owedCount: Int { issuedCount - writtenCount }

    var hasWaiting: Bool { !waiting.isEmpty }

    /// Counts a request in.
    /// - Returns: The number of its answer.
    mutating func issue() -> Int {
        defer { issuedCount += 1 }
        return issuedCount
    }

    mutating func noteWritten() { writtenCount += 1 }

    /// Keeps an answer until its turn.
    mutating func keep(_ answer: WaitingAnswer, _ sequence: Int) {
        waitingBytes += answer.bytes.readableBytes
        waiting[sequence] = answer
    }

    /// Takes the answer whose turn it is, if it is there. It is to be noted as written.
    mutating func takeNext() -> WaitingAnswer? {
        guard let next = waiting.removeValue(forKey: writtenCount) else { return nil }
        waitingBytes -= next.bytes.readableBytes
        return next
    }

    /// No further answer is written.
    mutating func removeAll() { (waiting, waitingBytes) = ([:], 0) }
}
