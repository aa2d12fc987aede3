/// The way that mail leaves by.
enum MailTransport: Sendable, Hashable {
    /// A program that takes the message as sendmail does: the sender behind `-f`, the recipient behind `--`.
    case command([String])
    /// A server of SMTP, by libcurl.
    case smtp(SMTPSettings)

    /// Hands a message over. Waits; to be called on a thread that may.
    func send(_ message: MailMessage, date: String) throws(MailError) {
        guard MailMessage.isAddress(message.to), MailMessage.isAddress(message.sender) else {
            throw MailError(message: "An address is malformed.", isTemporary: false)
        }
        let bytes = message.bytes(date: date)
        switch self {
        case .command(let words):
            let result: (code: Int32, complaint: String)
            do throws(Files.Failure) {
                result = try Subprocess.run(
                    words + ["-f", message.sender, "--", message.to], input: bytes, seconds: 30)
            } catch {
                throw MailError(message: "\(words.first ?? "") could not be run: \(error.reason).", isTemporary: true)
            }
            // sysexits.h: 75 asks for another attempt; 64 to 78 are errors that stay.
            guard result.code != 0 else { return }
            throw MailError(
                message: "\(words.first ?? "") ended with \(result.code): \(result.complaint)",
                isTemporary: result.code == 75 || !(64...78).contains(result.code))
        case .smtp(let settings):
            try CurlLibrary.send(bytes, from: message.sender, to: message.to, settings)
        }
    }
}
