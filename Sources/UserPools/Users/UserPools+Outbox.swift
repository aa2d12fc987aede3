public import JSON
import Synchronization
import Tables

extension UserPools {
    /// Adds a message with a code to the outbox. Its text comes from the CustomMessage trigger, or from the pool's
    /// template for this trigger source.
    func send(
        code: String, to user: User, _ delivery: Delivery, in pool: UserPool, client: UserPoolClient?, trigger: String,
        metadata: [String: String]
    ) async throws(CognitoError) {
        var (subject, text) = Self.texts(trigger, delivery.medium, pool.messages)
        if pool.lambdaConfig[.customMessage] != nil {
            let response = try await call(
                .customMessage, trigger, for: user, in: pool, client: client,
                request: [
                    "userAttributes": Self.triggerAttributes(user), "codeParameter": "{####}", "linkParameter": nil,
                    "usernameParameter": trigger == "CustomMessage_AdminCreateUser" ? "{username}" : .null,
                    "clientMetadata": Self.json(metadata),
                ],
                response: ["smsMessage": nil, "emailMessage": nil, "emailSubject": nil])
            // The lengths are Cognito's.
            let (ownSubject, mail, sms) = (
                try response.text("emailSubject", countMax: 140), try response.text("emailMessage", countMax: 20_000),
                try response.text("smsMessage", countMax: 140)
            )
            (subject, text) = (ownSubject ?? subject, (delivery.medium == "SMS" ? sms : mail) ?? text)
        }
        text = Self.replacing("{####}", with: code, in: text)
        text = Self.replacing("{username}", with: user.username, in: text)
        let id = "\(SortableNumber.text(now))-\(randomness.text(8, of: Randomness.lowercase))"
        let content = MessageContent(subject: subject, text: text, code: code)
        var message = OutboxMessage(
            id: id, poolID: pool.id, recipient: delivery.address, medium: delivery.medium, trigger: trigger,
            sealed: content.sealed(by: sealer, for: id), created: now)
        // Only mail is sent. Messages that nobody takes must not fill the list of those that are due.
        message.next = message.medium == "EMAIL" ? message.created : nil
        // Reads like `writeDecoy`, which takes the place of a message that nobody receives.
        try await records.put(message, OutboxMessage.sealedBox, id)
        services.noteMessage(
            .init(medium: message.medium, recipient: message.recipient, trigger: message.trigger, code: code))
        try await boundOutbox()
    }

    /// Removes the oldest messages of an outbox that is full: those that are not sent any more, and others only if there are none
    /// of these. So messages that many callers request take nothing from mail that waits, as long as mail is sent.
    private func boundOutbox() async throws(CognitoError) {
        var count = outboxCount.withLock { count in
            count = count.map { $0 + 1 }
            return count
        }
        if count == nil {
            count = try await records.scan(OutboxMessage.self).count
            outboxCount.withLock { $0 = count }
        }
        guard let count, count > limits.outboxMessagesMax else { return }
        for message in try await removableMessages() {
            if try await records.delete(message) { outboxCount.withLock { $0 = $0.map { $0 - 1 } } }
        }
    }

    /// The messages that a full outbox gives up.
    private func removableMessages() async throws(CognitoError) -> ArraySlice<OutboxMessage> {
        var oldest: [OutboxMessage] = []
        var finished: [OutboxMessage] = []
        var next: Position?
        var pagesLeft = Self.searchedPagesMax
        repeat {
            let page = try await records.query(
                OutboxMessage.self, of: OutboxMessage.sealedBox, after: next, limit: 500)
            pagesLeft -= 1
            if oldest.isEmpty { oldest = page.records }
            finished += page.records.filter { $0.sent != nil || ($0.medium == "EMAIL" && $0.next == nil) }
            next = page.next
        } while next != nil && pagesLeft > 0 && finished.count < Self.removedMessagesMax
        return (finished.isEmpty ? oldest : finished).prefix(Self.removedMessagesMax)
    }

    /// Messages that a full outbox gives up at once.
    private static let removedMessagesMax = 100
    /// Pages of 500 messages, the oldest first, among which those that are not sent any more are looked for.
    private static let searchedPagesMax = 20

    /// The messages of the outbox, oldest first, as `syncline outbox` and the operators' API show them.
    ///
    /// - Parameters:
    ///   - last: Return messages after the one with this id; nil to start with the oldest.
    ///   - limit: Maximum number of messages.
    public func outboxMessages(after last: String?, limit: Int) async throws(CognitoError) -> [JSONObject] {
        var messages: [JSONObject] = []
        var next: Position?
        repeat {
            let page = try await records.query(
                OutboxMessage.self, of: OutboxMessage.sealedBox, after: next, limit: 500)
            for message in page.records where last.map({ message.id > $0 }) ?? true {
                messages.append(json(message))
                if messages.count >= limit { return messages }
            }
            next = page.next
        } while next != nil
        return messages
    }

    /// The content of a message; nil once it was sent, and when the key that sealed it is missing.
    func content(of message: OutboxMessage) -> MessageContent? {
        message.sealed.flatMap { MessageContent(sealed: $0, by: sealer, for: message.id) }
    }

    private func json(_ message: OutboxMessage) -> JSONObject {
        var object = message.json
        if let content = content(of: message) {
            object["subject"] = .string(content.subject)
            object["text"] = .string(content.text)
            object["code"] = content.code.map(JSONValue.string) ?? .null
        } else {
            object["code"] = .null
            // What was sent is deleted, and what does not open is lost.
            if message.sealed != nil { object["lost"] = true }
        }
        return object
    }

    /// Seals the messages that an earlier version stored as clear text. What was sent of them has no content.
    func sealClearMessages() async throws(CognitoError) {
        while true {
            let page = try await records.query(OutboxMessage.self, of: OutboxMessage.clearBox, limit: 50).records
            guard !page.isEmpty else { return }
            let writes = page.flatMap { message -> [RecordWrite] in
                var sealed = message
                (sealed.box, sealed.clear, sealed.revision) = (OutboxMessage.sealedBox, nil, 0)
                sealed.sealed = message.clear?.sealed(by: sealer, for: message.id)
                return [.delete(message), .insert(sealed)]
            }
            guard try await records.write(writes) else { throw .tooManyRequests }
        }
    }

    private static func texts(
        _ trigger: String, _ medium: String, _ templates: MessageTemplates
    ) -> (subject: String, text: String) {
        switch trigger {
        case "CustomMessage_AdminCreateUser":
            let text = "Your username is {username} and temporary password is {####}."
            return (
                templates.invitationSubject ?? "Your temporary password",
                (medium == "SMS" ? templates.smsInvitationMessage : templates.invitationMessage) ?? text
            )
        case "CustomMessage_Authentication":
            let text = "Your authentication code is {####}."
            return ("Your authentication code", templates.smsAuthenticationMessage ?? text)
        default:
            let text = "Your confirmation code is {####}."
            return (
                templates.verificationSubject ?? "Your verification code",
                (medium == "SMS" ? templates.smsVerificationMessage : templates.verificationMessage) ?? text
            )
        }
    }

    /// A text with a placeholder replaced.
    private static func replacing(_ placeholder: String, with text: String, in template: String) -> String {
        var (result, rest) = ("", template[...])
        while let range = rest.firstRange(of: placeholder) {
            result += rest[..<range.lowerBound] + text
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

extension OutboxMessage {
    /// All but the content.
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "id": .string(id), "userPoolId": .string(poolID), "recipient": .string(recipient),
            "medium": .string(medium), "trigger": .string(trigger), "created": Timestamp.json(created),
        ]
        if let sent { object["sent"] = Timestamp.json(sent) }
        if let error { object["error"] = .string(error) }
        return object
    }
}
