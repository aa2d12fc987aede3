import Foundation
import Testing

@testable import Server

@Suite("Mail")
struct MailTests {
    private static let message = MailMessage(
        from: "Länder <app@example.com>", to: "jane@example.com", subject: "Ihr Code für heute",
        text: "Your confirmation code is 123456.\n", id: "0001-abc")

    private func text(_ message: MailMessage) -> String {
        String(decoding: message.bytes(date: MailDate.text(1_761_987_903)), as: UTF8.self)
    }

    @Test("a message has the headers of mail, its text in base64, and lines that are short enough")
    func form() {
        let text = text(Self.message)
        #expect(text.contains("From: =?utf-8?B?TMOkbmRlcg==?= <app@example.com>\r\n"))
        #expect(text.contains("Date: Sat, 1 Nov 2025 09:05:03 +0000\r\n"))
        #expect(text.contains("Message-ID: <0001-abc@example.com>\r\n"))
        #expect(text.hasSuffix("\r\n\r\n" + Data(Self.message.text.utf8).base64EncodedString() + "\r\n"))
        var long = Self.message
        (long.subject, long.text) = (String(repeating: "ä", count: 200), String(repeating: "x", count: 5_000))
        #expect(self.text(long).split(separator: "\r\n").allSatisfy { $0.utf8.count <= 78 })
    }

    @Test("no text of a message makes a header of its own")
    func injection() {
        var evil = Self.message
        evil.subject = "a\r\nBcc: victim@example.com"
        evil.from = "x\r\nBcc: y <app@example.com>"
        evil.id = "a>\r\nBcc: z"
        #expect(!text(evil).contains("\r\nBcc"))
        for address in ["a@b\r\nRCPT TO:<c@d>", "-oQ/tmp@x", "a b@c", "a", "a@b@c", "<a@b>", ""] {
            #expect(!MailMessage.isAddress(address), "\(address)")
        }
    }

    @Test("a password that an unset variable holds stops the load with its place, and is not left out")
    func unreadablePassword() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for password in [#"{"env": "SYNCLINE_TEST_NONE"}"#, #""${SYNCLINE_TEST_NONE}""#, #"{"file": "none"}"#] {
            try folder.write(
                """
                {"mail": {"from": "app@example.com", "smtp": {
                  "url": "smtps://mail.example.com:465", "username": "app",
                  "password": \(password)}}}
                """, to: "syncline.json")
            let error = #expect(throws: ServerError.self) {
                try Configuration.load(
                    SettingTexts(for: .serve, flags: [.config: [folder.path("syncline.json")]], environment: [:]))
            }
            #expect(error?.text.contains("syncline.json:3:3") == true, "\(error?.text ?? "")")
            #expect(error?.text.contains("which holds a secret") == true)
        }
    }

    @Test("a command receives the message and the envelope; its errors and its slowness are errors")
    func command() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            "#!/bin/sh\nprintf '%s\\n' \"$@\" > \(folder.path("args"))\ncat > \(folder.path("mail"))\n", to: "ok")
        try folder.write("#!/bin/sh\necho 'no such user' >&2\nexit 67\n", to: "bad")
        for name in ["ok", "bad"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path(name))
        }
        try MailTransport.command([folder.path("ok"), "-i"]).send(Self.message, date: "x")
        #expect(
            try String(contentsOfFile: folder.path("args"), encoding: .utf8)
                == "-i\n-f\napp@example.com\n--\njane@example.com\n")
        #expect(try String(contentsOfFile: folder.path("mail"), encoding: .utf8).contains("To: jane@example.com\r\n"))
        let bad = #expect(throws: MailError.self) {
            try MailTransport.command([folder.path("bad")]).send(Self.message, date: "x")
        }
        #expect(bad?.isTemporary == false && bad?.message.contains("no such user") == true)
        let none = #expect(throws: MailError.self) {
            try MailTransport.command([folder.path("none")]).send(Self.message, date: "x")
        }
        #expect(none?.isTemporary == true)
        let slow = try Subprocess.run(["sleep", "30"], input: [], seconds: 1)
        #expect(slow.code == 75)
    }

    @Test("a server of SMTP takes the message; 5xx is final, 4xx and no answer are not")
    func smtp() throws {
        let server = Process()
        let (input, output) = (Pipe(), Pipe())
        let script = TidyTests.root.appending(path: "Tests/Clients/smtp_server.py")
        server.executableURL = URL(filePath: "/usr/bin/env")
        server.arguments = ["python3", script.path]
        server.standardInput = input
        server.standardOutput = output
        try server.run()
        defer {
            try? input.fileHandleForWriting.close()
            server.waitUntilExit()
        }
        let port = try #require(
            Int(
                String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).trimmingCharacters(
                    in: .newlines)))
        let settings = SMTPSettings(url: "smtp://127.0.0.1:\(port)", username: "app", password: "secret")
        let transport = MailTransport.smtp(settings)
        do throws(MailError) {
            try transport.send(Self.message, date: "x")
        } catch {
            // A machine without libcurl has nothing to test.
            try #require(error.message.contains("libcurl is not installed"), "\(error)")
            return
        }
        for (recipient, isTemporary) in [("later@example.com", true), ("never@example.com", false)] {
            var message = Self.message
            message.to = recipient
            let error = #expect(throws: MailError.self) { try transport.send(message, date: "x") }
            #expect(error?.isTemporary == isTemporary, "\(String(describing: error))")
            #expect(error?.message.contains("secret") == false)
        }
        let gone = #expect(throws: MailError.self) {
            try MailTransport.smtp(SMTPSettings(url: "smtp://127.0.0.1:1")).send(Self.message, date: "x")
        }
        #expect(gone?.isTemporary == true)
    }
}
