import Foundation
import JSON
import Synchronization
import Testing

@testable import Server

@Suite("The lines of the log")
struct LogTests {
    /// What `body` logs, in one text.
    private func logged(_ format: LogFormat, _ body: (Log) -> Void) -> String {
        let text = Mutex("")
        body(Log(format: format, level: .info) { line in text.withLock { $0 += line } })
        return text.withLock { $0 }
    }

    /// A terminal's command, a bell, text from right to left, separators, C1 controls, and what is harmless.
    private static let unsafe = "a\u{1B}[31mb\u{7}\u{202E}c\u{2028}d\u{2029}\u{9B}e\u{7F}\u{AD}\u{E0001}ü😀\nf\rg\t"

    @Test("the text form escapes control, format and separator characters in messages and values")
    func text() {
        let line = logged(.text) { $0(.warning, "Sent: \(Self.unsafe)!", ["cause": Self.unsafe]) }
        let escaped =
            #"a\u{1b}[31mb\u{7}\u{202e}c\u{2028}d\u{2029}\u{9b}e\u{7f}\u{ad}\u{e0001}ü😀"#
        let message = "Sent: \(escaped)\nf\\u{d}g\t!"
        #expect(line.hasSuffix("warning  \(message)  cause=\(escaped)\\u{a}f\\u{d}g\\u{9}\n"), "\(line)")
    }

    @Test("the JSON form escapes them as well, and is read back as it was")
    func json() throws {
        let line = logged(.json) { $0(.warning, "Sent: \(Self.unsafe)!", ["cause": Self.unsafe]) }
        #expect(line.contains(#"\u202ec\u2028d\u2029\u009be\u007f\u00ad\udb40\udc01ü😀\n"#), "\(line)")
        let object = try JSONReader.read(line)
        #expect(object["cause"]?.stringValue == Self.unsafe)
        #expect(object["message"]?.stringValue == "Sent: \(Self.unsafe)!")
    }

    @Test("lines that are not read in time are dropped, counted and reported, and the others keep their order")
    func slowReader() throws {
        var ends: [Int32] = [-1, -1]
        try unsafe #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let log = Log(format: .json, level: .info, queue: LogQueue(descriptor: ends[1]))
        let count = 40_000
        for number in 0..<count { log(.info, "A line of many", numbers: ["number": number]) }

        var (text, next, lost) = ("", 0, 0)
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while next < count {
            let size = unsafe read(ends[0], &chunk, chunk.count)
            try #require(size > 0)
            text += String(decoding: chunk[..<size], as: UTF8.self)
            var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            text = String(lines.removeLast())
            for line in lines {
                let object = try JSONReader.read(String(line))
                if let number = object["lost"]?.intValue {
                    #expect(object["message"]?.stringValue?.hasPrefix("\(number) log lines were lost") == true)
                    lost += Int(number)
                    next += Int(number)
                } else {
                    #expect(object["number"]?.intValue == Int64(next))
                    next += 1
                }
            }
        }
        #expect(next == count && lost > 0)
        // A line of this test has about 100 bytes, and the pipe holds 64 KiB.
        #expect((count - lost) * 90 < LogQueue.bytesMax + (256 << 10))
    }

    @Test("a server whose standard error is not read continues to answer, and shuts down", arguments: [false, true])
    func unreadStandardError(losesData: Bool) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("type Post @model { id: ID! title: String }", to: "schema.graphql")
        let path = folder.path("errors")
        try unsafe #require(mkfifo(path, 0o600) == 0)
        let reader = unsafe open(path, O_RDONLY | O_NONBLOCK)
        try #require(reader >= 0)
        defer { close(reader) }
        let server = try Running(
            ["dev", "--port", "0", "--tls", "off"], in: folder, complaint: path)
        let client = try server.connect()
        let query = Client.envelope("{ \(String(repeating: "n", count: 900)) }")
        for _ in 0..<300 { #expect(try client.ask(body: query).status == 200) }
        #expect(try client.ask("GET", "/health").status == 200)
        guard losesData else {
            #expect(server.stop().code == 0)
            return
        }
        try FileManager.default.removeItem(atPath: folder.path(".syncline"))
        #expect(server.wait().code == 5)
    }
}
