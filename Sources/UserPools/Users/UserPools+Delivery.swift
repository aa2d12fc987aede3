extension UserPools {
    /// A message that is to be sent now.
    public struct DueMessage: Sendable {
        /// What the outbox knows it by.
        public let id: String
        /// The address.
        public let recipient: String
        /// The subject.
        public let subject: String
        /// The text, with the code.
        public let text: String
    }

    /// The mail that is to be sent now, what is due longest first; none when it cannot be read.
    public func dueMessages(limit: Int) async -> [DueMessage] {
        let page = try? await records.query(OutboxMessage.self, "byNext", of: OutboxMessage.due, limit: limit)
        return (page?.records ?? []).filter { ($0.next ?? .max) <= now && $0.medium == "EMAIL" }.map {
            DueMessage(id: $0.id, recipient: $0.recipient, subject: $0.subject, text: $0.text)
        }
    }

    /// Notes what became of sending a message. Of one that was sent the text is removed, for it holds a code; one that
    /// failed is tried again after ten seconds, twice as long after each further failure up to an hour, for a day.
    ///
    /// - Parameters:
    ///   - error: Why it failed; nil when it was sent.
    ///   - isFinal: Whether no further attempt makes sense.
    public func noteDelivery(of id: String, error: String?, isFinal: Bool) async {
        let now = now
        _ = try? await records.update(OutboxMessage.self, "all", id) { message in
            message.attemptCount += 1
            message.error = error
            guard error != nil else {
                (message.sent, message.next, message.code, message.text) = (now, nil, nil, "")
                return
            }
            let seconds: Int64 = min(10 << min(message.attemptCount - 1, 10), 3_600)
            let next = now + seconds * 1_000
            message.next = isFinal || next > message.created + 86_400_000 ? nil : next
        }
    }
}
