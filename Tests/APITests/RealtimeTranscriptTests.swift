import API
import Foundation
import Testing

/// Conversations with the clients (reference: appsync-protocol, "Clients"), written down and replayed.
///
/// A file holds conversations behind `== title`; a line of one says who speaks:
///
///     O: protocol NAME | query TEXT | header NAME: VALUE   what the upgrade brings
///     P: NAME                                              the subprotocol of the answer
///     C: TEXT    S: TEXT                                   a message of the client, of the server
///     E: ID TEXT                                           an event for a subscription, if it lives
///     D: ID [MESSAGE]                                      the server ends a subscription
///     T: MILLISECONDS                                      time passes
///     K: COUNT                                             so many minutes pass, each with its ka
///     A: wait | go                                         credentials wait; the first of them is looked at
///     X: CODE [REASON]                                     the server closes
@Suite("Realtime: transcripts")
struct RealtimeTranscriptTests {
    struct Conversation: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Each with its number in the file.
        var lines: [(number: Int, kind: Character, text: String)]
    }

    static let conversations: [Conversation] = {
        guard let folder = Bundle.module.resourceURL?.appending(path: "Fixtures/realtime"),
            let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        else { return [] }
        return names.sorted().flatMap { name in
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)).map { read($0, name) } ?? []
        }
    }()

    private static func read(_ text: String, _ name: String) -> [Conversation] {
        var conversations: [Conversation] = []
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.hasPrefix("== ") {
                conversations.append(Conversation(testDescription: "\(name): \(line.dropFirst(3))", lines: []))
            } else if let kind = line.first, kind != "#" {
                let text = String(line.dropFirst(2).drop { $0 == " " })
                conversations[conversations.count - 1].lines.append((index + 1, kind, text))
            }
        }
        return conversations
    }

    @Test("every transcript is there")
    func complete() { #expect(Self.conversations.count == 43) }

    @Test("the session sends the messages of the transcript", arguments: conversations)
    func replay(conversation: Conversation) throws {
        var opening = RealtimeOpening()
        for line in conversation.lines where line.kind == "O" { try read(line.text, into: &opening) }
        var server = RealtimeTestServer(opening)
        var expected: [String] = []
        var isOpen = false
        func settle(before line: Int) {
            let sent = server.takeSent()
            #expect(sent == expected, "before line \(line)")
            expected = []
        }
        for (number, kind, text) in conversation.lines where kind != "O" {
            if kind == "P" {
                #expect(server.session.subprotocol ?? "" == text)
                continue
            }
            if kind == "A", text == "wait" {
                server.isSlow = true
                continue
            }
            if !isOpen { server.open() }
            isOpen = true
            if kind == "S" {
                expected.append(text)
                continue
            }
            settle(before: number)
            let words = text.split(separator: " ", maxSplits: 1).map(String.init)
            if kind == "X" {
                let close = server.takeClosing()
                let closing = try #require(close, "line \(number)")
                #expect(closing.code == UInt16(words[0]) && closing.reason == (words.count > 1 ? words[1] : ""))
                continue
            }
            #expect(server.closing == nil, "before line \(number)")
            switch kind {
            case "C": server.receive(text)
            case "T": server.pass(milliseconds: try #require(Int64(text)))
            case "K":
                for _ in 0..<(try #require(Int(text))) {
                    server.pass(milliseconds: 60_000)
                    #expect(server.takeSent() == [#"{"type":"ka"}"#])
                }
            case "A": server.answerNext()
            case "E": if let live = server.number(of: words[0]) { server.publish(words[1], to: live) }
            case "D":
                let live = try #require(server.number(of: words[0]), "line \(number)")
                server.end(live, words.count > 1 ? [RealtimeError(message: words[1])] : [])
            default: Issue.record("Line \(number) is of no kind.")
            }
        }
        settle(before: .max)
        #expect(server.closing == nil && server.offences == [])
    }

    private func read(_ text: String, into opening: inout RealtimeOpening) throws {
        let words = text.split(separator: " ", maxSplits: 1).map(String.init)
        try #require(words.count == 2)
        switch words[0] {
        case "protocol": opening.subprotocols.append(words[1])
        case "query": opening.query = Array(words[1].utf8)
        case "header":
            let parts = words[1].split(separator: ":", maxSplits: 1)
            opening.headers.append((String(parts[0]), parts[1].trimmingCharacters(in: .whitespaces)))
        default: Issue.record("An opening has no \(words[0]).")
        }
    }
}
