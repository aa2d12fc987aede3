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

    /// The mail that is to be sent now, what is due longest first; none when it cannot be read. Mail whose content does not
    /// open, after a restore without its keys, is marked as failed for good.
    public func dueMessages(limit: Int) async -> [DueMessage] {
        let page = try? await records.query(OutboxMessage.self, "byNext", of: OutboxMessage.due, limit: limit)
        var due: [DueMessage] = []
        for message in page?.records ?? [] where (message.next ?? .max) <= now && message.medium == "EMAIL" {
            if let content = content(of: message) {
                due.append(
                    DueMessage(
                        id: message.id, recipient: message.recipient, subject: content.subject, text: content.text))
            } else {
                await noteDelivery(
                    of: message.id, error: "The key that sealed the message is missing.", isFinal: true)
            }
        }
        return due
    }

    /// Notes what became of sending a message. The content of a sent message is deleted, for it holds a code; one that
    /// failed is tried again after ten seconds, twice as long after each further failure up to an hour, for a day.
    ///
    /// - Parameters:
    ///   - error: Why it failed; nil when it was sent.
    ///   - isFinal: Whether no further attempt makes sense.
    public func noteDelivery(of id: String, error: String?, isFinal: Bool) async {
        let now = now
        _ = try? await records.update(OutboxMessage.self, OutboxMessage.sealedBox, id) { message in
            message.attemptCount += 1
            message.error = error
            guard error != nil else {
                (message.sent, message.next, message.sealed) = (now, nil, nil)
                return
            }
            let seconds: Int64 = min(10 << min(message.attemptCount - 1, 10), 3_600)
            let next = now + seconds * 1_000
            message.next = isFinal || next > message.created + 86_400_000 ? nil : next
        }
    }
}
