/// `mail`: how messages to users leave. Without it they stay in the outbox.
struct MailOptions: Sendable {
    private(set) var from = ""
    private(set) var transport: MailTransport?

    mutating func read(_ file: ConfigurationSection) {
        guard file.value("mail") != nil else { return }
        let section = file.section("mail")
        from = section.string("from") ?? ""
        if !MailMessage.isAddress(MailMessage.address(from)) {
            section.report("from", "'mail.from' is the sender's address, such as \"App <no-reply@example.com>\".")
        }
        let command = section.strings("command")
        let hasSMTP = section.value("smtp") != nil
        let smtp = section.section("smtp")
        if let url = smtp.string("url") {
            if !url.hasPrefix("smtp://"), !url.hasPrefix("smtps://") {
                smtp.report("url", "'mail.smtp.url' is smtp://HOST:PORT or smtps://HOST:PORT, and not \"\(url)\".")
            }
            let given = smtp.value("password")
            let password = given.flatMap(UserPoolOptions.secret)
            if let given, password == nil { smtp.report("password", UserPoolOptions.problem(ofSecret: given)) }
            transport = .smtp(SMTPSettings(url: url, username: smtp.string("username"), password: password))
        }
        smtp.finish()
        if let command { transport = .command(command) }
        if (command != nil) == hasSMTP {
            section.report(
                "smtp", "'mail' has either 'smtp', with 'url', or 'command', such as [\"sendmail\", \"-i\"].")
        }
        section.finish()
    }
}
