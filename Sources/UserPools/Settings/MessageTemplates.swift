import JSON

/// The texts of messages, with Cognito's placeholders `{####}` and `{username}`.
struct MessageTemplates: Sendable, Hashable {
    var verificationSubject: String?
    var verificationMessage: String?
    var smsVerificationMessage: String?
    var smsAuthenticationMessage: String?
    var invitationSubject: String?
    var invitationMessage: String?
    var smsInvitationMessage: String?

    mutating func read(_ reader: SettingsReader, isConfiguration: Bool) {
        let template = reader.section("VerificationMessageTemplate")
        verificationSubject =
            template?.string("EmailSubject") ?? reader.string("EmailVerificationSubject") ?? verificationSubject
        verificationMessage =
            checked(
                template?.string("EmailMessage") ?? reader.string("EmailVerificationMessage"), reader,
                "EmailVerificationMessage", needs: ["{####}"]) ?? verificationMessage
        smsVerificationMessage =
            checked(
                template?.string("SmsMessage") ?? reader.string("SmsVerificationMessage"), reader,
                "SmsVerificationMessage", needs: ["{####}"]) ?? smsVerificationMessage
        let option = template?.string("DefaultEmailOption")
        if isConfiguration, let template {
            if option == "CONFIRM_WITH_LINK" {
                template.report(
                    "DefaultEmailOption", "Confirmation by a link is not served: messages have a code.",
                    hint: "Write CONFIRM_WITH_CODE, or leave 'defaultEmailOption' out.")
            }
            for word in ["EmailMessageByLink", "EmailSubjectByLink"] { _ = template.value(word) }
            template.finish()
        }
        smsAuthenticationMessage = reader.string("SmsAuthenticationMessage") ?? smsAuthenticationMessage
    }

    mutating func readInvitation(_ reader: SettingsReader) {
        invitationSubject = reader.string("EmailSubject") ?? invitationSubject
        let needs = ["{####}", "{username}"]
        invitationMessage =
            checked(reader.string("EmailMessage"), reader, "EmailMessage", needs: needs) ?? invitationMessage
        smsInvitationMessage =
            checked(reader.string("SMSMessage"), reader, "SMSMessage", needs: needs) ?? smsInvitationMessage
    }

    private func checked(_ text: String?, _ reader: SettingsReader, _ word: String, needs: [String]) -> String? {
        guard let text else { return nil }
        for placeholder in needs where !text.contains(placeholder) {
            reader.report(word, "'\(SettingsReader.lowerFirst(word))' lacks \(placeholder).")
        }
        return text
    }

    var json: JSONObject {
        var object = JSONObject()
        if let verificationSubject { object["EmailVerificationSubject"] = .string(verificationSubject) }
        if let verificationMessage { object["EmailVerificationMessage"] = .string(verificationMessage) }
        if let smsVerificationMessage { object["SmsVerificationMessage"] = .string(smsVerificationMessage) }
        if let smsAuthenticationMessage { object["SmsAuthenticationMessage"] = .string(smsAuthenticationMessage) }
        return object
    }

    var invitationJSON: JSONObject? {
        var object = JSONObject()
        if let invitationSubject { object["EmailSubject"] = .string(invitationSubject) }
        if let invitationMessage { object["EmailMessage"] = .string(invitationMessage) }
        if let smsInvitationMessage { object["SMSMessage"] = .string(smsInvitationMessage) }
        return object.isEmpty ? nil : object
    }
}
