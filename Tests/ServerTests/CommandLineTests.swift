import Foundation
import Testing

@testable import Server

/// The built binary, run as a user or a script runs it.
@Suite("The command line", .serialized)
struct CommandLineTests {
    /// What a run came to.
    struct Outcome {
        var code: Int32
        var output: String
        var complaint: String
    }

    static let broken = "type Post @model { id: ID! blog: Blgo }\ntype Blog @model { id: ID! }"
    static let valid = "type Post @model { id: ID! title: String }"

    @Test("help and version succeed; what cannot be meant is 2")
    func usage() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        #expect(try run(["--help"], in: folder).code == 0)
        #expect(try run(["help", "serve"], in: folder).output.contains("--ready-file"))
        #expect(try run(["version"], in: folder).output.hasPrefix("syncline "))
        #expect(try run(["--generate-completion-script", "bash"], in: folder).output.contains("syncline"))
        for arguments in [
            ["frobnicate"], ["serve", "--nope"], ["serve", "--port", "x"], ["check", "--format", "xml"],
        ] {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 2 && outcome.output.isEmpty, "\(arguments)")
            #expect(outcome.complaint.hasPrefix("error: "), "one form for all errors: \(outcome.complaint)")
        }
    }

    @Test("a broken schema, an unknown key or a missing file is 3, all of it with place and hint; nothing is made")
    func invalid() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.broken, to: "schema.graphql")
        try folder.write("{\"prot\": 1}", to: "config/syncline.json")
        for verb in [["serve"], ["dev"], ["check"], ["schema", "print"], ["migrate", "plan"], ["migrate", "apply"]] {
            let outcome = try run(verb, in: folder)
            #expect(outcome.code == 3, "\(verb): \(outcome)")
            #expect(outcome.complaint.contains("config/syncline.json:1:2: error: Unknown key 'prot'."), "\(verb)")
            #expect(outcome.complaint.contains(#"Did you mean "port"?"#), "\(verb)")
        }
        let check = try run(["check"], in: folder)
        #expect(check.complaint.contains("schema.graphql:1:28: error:"), "all at once: \(check.complaint)")
        #expect(check.complaint.contains("Blgo") && check.complaint.contains("2 errors."))

        try folder.write("{}", to: "config/syncline.json")
        let dev = try run(["dev", "--port", "0"], in: folder)
        #expect(dev.code == 3 && dev.complaint.contains("type Post @model { id: ID! blog: Blgo }\n"))
        #expect(folder.names == ["config", "config/syncline.json", "schema.graphql"])
    }

    @Test("what was looked for is named when nothing is there")
    func nothingThere() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let rows: [([String], String)] = [
            (["serve"], "./schema.graphql"), (["dev", "--schema", "api"], "Cannot read the schema api"),
            (["check", "--config", "c.json"], "c.json"),
        ]
        for (arguments, named) in rows {
            let outcome = try run(arguments, in: folder)
            #expect(outcome.code == 3 && outcome.complaint.contains(named), "\(arguments): \(outcome)")
        }
        #expect(folder.names.isEmpty)
    }

    @Test("check reports for machines what it reports for people")
    func checkJSON() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.broken, to: "schema.graphql")
        let outcome = try run(["check", "--format", "json"], in: folder)
        #expect(outcome.code == 3)
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(report["valid"] as? Bool == false)
        let error = try #require((report["errors"] as? [[String: Any]])?.first)
        #expect(error["file"] as? String == "schema.graphql" && error["line"] as? Int == 1)
        let text = try #require(error["text"] as? String)
        #expect(try run(["check"], in: folder).complaint.contains(text))

        try folder.write(Self.valid, to: "schema.graphql")
        let good = try run(["check", "--format", "json"], in: folder)
        #expect(try run(["check", "--json"], in: folder).output == good.output)
        #expect(good.code == 0 && good.output.contains(#""valid":true,"models":1"#))
        #expect(folder.names == ["schema.graphql"], "check makes nothing")
    }

    @Test("check says of each directive, in its file and at its place, what it is served as")
    func checkDirectives() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(
            """
            type Post @model {
              id: ID!
              title: String @refersTo(name: "headline")
              comments: [Comment] @hasMany
            }
            """, to: "api/a.graphql")
        try folder.write("type Comment @model @searchable { id: ID! }", to: "api/b.graphql")
        try folder.write("input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }", to: "api/c.graphql")
        let refused = try run(["check", "--schema", "api"], in: folder)
        #expect(refused.code == 3 && refused.output.isEmpty)
        let table = [
            "The schema is of version 2 of the transformer.", "api/a.graphql",
            "  1:11  same       @model     Post           A table with",
            "  3:17  different  @refersTo  Post.title     It names",
            "  4:23  same       @hasMany   Post.comments  A page of", "api/b.graphql",
            "  1:14  same        @model       Comment  A table with", "  1:21  not served  @searchable  Comment  ",
            "Directives: 3 same, 1 different, 1 not served.", "api/b.graphql:1:21: error: @searchable is not served",
        ]
        let lines = refused.complaint.split(separator: "\n").map(String.init)
        for (line, start) in zip(lines, table) { #expect(line.hasPrefix(start), "\(line)") }
        #expect(lines.count > table.count)

        let report = try run(["check", "--schema", "api", "--format", "json"], in: folder).output
        #expect(
            report.contains(
                #""transformerVersion":2,"directives":[{"directive":"model","on":"Post","status":"same""#))
        #expect(report.contains(#""status":"notServed","sentence":"#))
        #expect(report.contains(#""file":"api/b.graphql","line":1,"column":21}]"#))

        // What is served otherwise than by Amplify is no reason to fail.
        try folder.write("type Comment @model { id: ID! }", to: "api/b.graphql")
        let accepted = try run(["check", "--schema", "api"], in: folder)
        #expect(accepted.code == 0 && accepted.complaint.isEmpty)
        #expect(accepted.output.hasSuffix("The schema is valid: 2 models, 1 index.\n"))
        #expect(accepted.output.contains("Directives: 3 same, 1 different.\n"))
    }

    @Test("the schema is printed as it is generated")
    func schemaPrint() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        let outcome = try run(["schema", "print"], in: folder)
        #expect(outcome.code == 0 && outcome.output.contains("input CreatePostInput {"))
        #expect(outcome.output.hasSuffix("}\n") && !outcome.output.hasSuffix("\n\n"))
    }

    @Test("a taken port is 4, one line that names it; the disk stays as it was")
    func portTaken() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        try await TestServer.with { server in
            let outcome = try run(["serve", "--port", "\(server.port)"], in: folder)
            #expect(outcome.code == 4, "\(outcome)")
            #expect(outcome.complaint.contains("127.0.0.1:\(server.port)"))
            #expect(outcome.complaint.contains("--port 0 takes a free one"))
            #if os(Linux)
            #expect(outcome.complaint.contains("(process \(ProcessInfo.processInfo.processIdentifier))"))
            #endif
            #expect(outcome.complaint.split(separator: "\n").count == 1)
            #expect(folder.names == ["schema.graphql"])
        }
    }

    @Test("the default API key beyond loopback is 2, for serve and for dev")
    func openKey() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        for verb in ["serve", "dev"] {
            let outcome = try run([verb, "--host", "0.0.0.0", "--port", "0"], in: folder)
            #expect(outcome.code == 2 && outcome.complaint.contains("--api-key"), "\(outcome)")
        }
        #expect(folder.names == ["schema.graphql"])
    }

    @Test("a locked folder is 5 and names the holder; one that cannot be made or is damaged is 5 too")
    func dataFolder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        let holder = try Running(["serve", "--port", "0"], in: folder)
        defer { holder.stop() }
        for verb in [["serve", "--port", "0"], ["migrate", "apply"]] {
            let outcome = try run(verb, in: folder)
            #expect(outcome.code == 5, "\(outcome)")
            #expect(outcome.complaint.contains("\(holder.processIdentifier)"), "\(outcome)")
            let lines = outcome.complaint.split(separator: "\n")
            #expect(lines.count == 2 && lines[0].hasPrefix("error: .syncline: ") && lines[1].hasPrefix("  hint: "))
        }
        for verb in [["check"], ["migrate", "plan"]] { #expect(try run(verb, in: folder).code == 0, "\(verb)") }

        try folder.write("a file, no folder", to: "file")
        let noFolder = try run(["serve", "--port", "0", "--data", "file"], in: folder)
        #expect(noFolder.code == 5 && noFolder.complaint.contains("file"), "\(noFolder)")

        try folder.write(String(repeating: "garbage ", count: 1000), to: "damaged/tables.sqlite")
        let damaged = try run(["serve", "--port", "0", "--data", "damaged"], in: folder)
        #expect(damaged.code == 5 && damaged.complaint.contains("damaged"), "\(damaged)")
        #expect(try String(contentsOfFile: folder.path("damaged/tables.sqlite"), encoding: .utf8).hasPrefix("garbage"))
    }

    @Test("a step that loses data is 7 until someone says yes")
    func lossy() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        #expect(try run(["migrate", "apply"], in: folder).code == 0)
        let server = try Running(["serve", "--port", "0"], in: folder)
        _ = try Client(port: server.port).graphql("mutation { createPost(input: {title: \"seven\"}) { id } }")
        #expect(server.stop().code == 0)
        try folder.write("type Post @model { id: ID! title: Int }", to: "schema.graphql")
        for verb in [["serve", "--port", "0"], ["dev", "--port", "0"], ["migrate", "apply"]] {
            let outcome = try run(verb, in: folder)
            #expect(outcome.code == 7, "\(verb): \(outcome)")
            #expect(outcome.complaint.contains("title"), "\(verb): \(outcome)")
        }
        let plan = try run(["migrate", "plan"], in: folder)
        #expect(plan.code == 8 && plan.output.contains("LOSES DATA"), "\(plan)")
        #expect(try run(["migrate", "apply", "--yes"], in: folder).code == 0)
        #expect(try run(["migrate", "plan"], in: folder).output.contains("nothing to do"))
    }

    @Test(
        "SIGTERM and SIGINT end serve and dev with 0, and take ready file and throw-away data along",
        arguments: [
            ("serve", SIGTERM), ("serve", SIGINT), ("dev", SIGTERM), ("dev", SIGINT),
        ])
    func signals(verb: String, signal: Int32) throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        let server = try Running([verb, "--port", "0", "--data", ":memory:"], in: folder)
        let client = try Client(port: server.port)
        #expect(try client.ask("GET", "/health", headers: [:]).status == 200)
        #expect(try client.graphql("{ __typename }") == #"{"data":{"__typename":"Query"}}"#)
        let outcome = server.stop(signal)
        #expect(outcome.code == 0, "\(outcome)")
        #expect(outcome.output.contains("http://127.0.0.1:\(server.port)/graphql"))
        #expect(folder.names == ["schema.graphql"])
    }

    @Test("while a request under way holds the end up, a second signal ends the process at once")
    func secondSignal() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        // On one loop the half of a request is read before a later request on another connection is answered.
        try folder.write(#"{"limits": {"drainSeconds": 3600, "eventLoopCount": 1}}"#, to: "config/syncline.json")
        let server = try Running(["serve", "--port", "0", "--data", ":memory:"], in: folder)
        let client = try Client(port: server.port)
        #expect(try client.ask("GET", "/health", headers: [:]).status == 200)
        try client.send("POST /graphql HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nhalf")
        #expect(try server.connect().ask("GET", "/health", headers: [:]).status == 200)
        kill(server.processIdentifier, SIGTERM)
        try await eventually { (try? Client(port: server.port)) == nil }
        kill(server.processIdentifier, SIGTERM)
        let outcome = server.wait()
        #expect(outcome.code == 1, "\(outcome)")
        #expect(folder.names == ["config", "config/syncline.json", "schema.graphql"])
    }

    @Test("the line to try in dev's banner works, and dev reloads a changed schema but not a broken one")
    func dev() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        let server = try Running(["dev", "--port", "0", "--ephemeral"], in: folder)
        defer { server.stop() }
        let line = try #require(server.output.split(separator: "\n").first { $0.contains("curl ") })
        let query = try #require(line.split(separator: "-d '").last?.prefix { $0 != "'" })
        let client = try Client(port: server.port)
        #expect(try client.ask(body: String(query)).body == #"{"data":{"listPosts":{"items":[]}}}"#)

        let changed = "{ listPosts { items { views } } }"
        try folder.write(Self.broken, to: "schema.graphql")
        try await eventually { server.complaint.contains("Blgo") }
        #expect(try client.ask(body: String(query)).status == 200)
        try folder.write("type Post @model { id: ID! title: String views: Int }", to: "schema.graphql")
        try await eventually { try client.graphql(changed) == #"{"data":{"listPosts":{"items":[]}}}"# }
        try await eventually { server.complaint.contains("Reloaded in ") }
    }

    @Test("dev's banner has the command that writes the files of clients, with the environment, and it works elsewhere")
    func bannerWithPull() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        try folder.write(#"{"environmentName": "staging"}"#, to: "config/syncline.json")
        try folder.write("", to: "app/.git")
        let server = try Running(["dev", "--port", "0", "--ephemeral", "--tls", "off"], in: folder)
        defer { server.stop() }
        try await eventually { server.output.contains("--env staging") }
        let line = try #require(server.output.split(separator: "\n").first { $0.hasPrefix("  Pull ") })
        let words = line.split(separator: " ").dropFirst(2).map(String.init)
        let url = "http://127.0.0.1:\(server.port)"
        #expect(words == ["pull", url, "--env", "staging"], "\(line)")
        let outcome = try run(words + ["--out", "app"], in: folder)
        #expect(outcome.code == 0, "\(outcome)")
        let text = try String(contentsOfFile: folder.path("app/amplifyconfiguration.json"), encoding: .utf8)
        #expect(text.contains("\"\(url)/graphql\"") && text.contains("da2-fakeApiId123456"))
        #expect(try run(["pull", url, "--env", "prod", "--out", "app"], in: folder).code == 2)
    }

    @Test("dev's banner names no API key where the API accepts none, and shows how to call with a token")
    func bannerWithoutKey() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        try folder.write(
            #"{"authConfig": {"defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"}}}"#,
            to: "config/syncline.json")
        let server = try Running(["dev", "--port", "0", "--ephemeral", "--tls", "off"], in: folder)
        let output = server.output
        server.stop()
        #expect(!output.contains("da2-") && !output.contains("API key") && !output.contains("x-api-key"), "\(output)")
        #expect(output.contains("TOKEN=$(syncline users token USERNAME)\n"), "\(output)")
        #expect(output.contains(#"-H "authorization: $TOKEN""#), "\(output)")
    }

    @Test("dev's banner shows a first call that the rules allow, with the credentials of its mode")
    func bannerOfRules() throws {
        let rows: [(schema: String, call: String, credentials: String)] = [
            (
                """
                type Note @model @auth(rules: [{allow: owner}]) { id: ID! @primaryKey }
                type Post @model @auth(rules: [{allow: public, operations: [read]}]) {
                  id: ID!
                  title: String
                }
                """, "{ listPosts { items { id title", "-H 'x-api-key: da2-"
            ),
            (
                "type Note @model @auth(rules: [{allow: owner}]) { id: ID! @primaryKey text: String }",
                "{ listNotes { items { id text", "-H \"authorization: $TOKEN\""
            ),
        ]
        for (schema, call, credentials) in rows {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write(schema, to: "schema.graphql")
            try folder.write(
                """
                {"userPool": {}, "authConfig": {
                  "defaultAuthentication": {"authenticationType": "AMAZON_COGNITO_USER_POOLS"},
                  "additionalAuthenticationProviders": [{"authenticationType": "API_KEY"}]}}
                """, to: "config/syncline.json")
            let server = try Running(["dev", "--port", "0", "--ephemeral", "--tls", "off"], in: folder)
            let output = server.output
            server.stop()
            #expect(output.contains(call) && output.contains(credentials), "\(output)")
        }
    }

    @Test("serve logs one JSON object a line, and no key")
    func jsonLog() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.valid, to: "schema.graphql")
        let server = try Running(["serve", "--port", "0", "--data", ":memory:", "--api-key", "da2-secret"], in: folder)
        let outcome = server.stop()
        let lines = outcome.complaint.split(separator: "\n")
        #expect(lines.count >= 2)
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["time"] != nil && object?["level"] != nil && object?["message"] != nil, "\(line)")
        }
        #expect(!outcome.complaint.contains("da2-secret") && !outcome.output.contains("da2-secret"))
    }
}

// MARK: - Processes

/// Runs the binary to its end.
func run(_ arguments: [String], in folder: TemporaryFolder) throws -> CommandLineTests.Outcome {
    let process = try Command(arguments, in: folder)
    return process.wait()
}

/// The binary at work, with its output in files, which unlike pipes never fill.
final class Command {
    let process: ChildProcess
    private let streams: TemporaryFolder

    /// - Parameters:
    ///   - descriptorsMax: How many descriptors the process may have; nil for what the system allows.
    ///   - complaint: Where standard error goes instead of the file that `text` reads.
    init(
        _ arguments: [String], in folder: TemporaryFolder, descriptorsMax: Int? = nil, complaint: String? = nil
    ) throws {
        streams = try TemporaryFolder()
        for name in ["output", "complaint"] { try streams.write("", to: name) }
        let binary = try Self.binary.path
        let limited = descriptorsMax.map { ["-c", "ulimit -n \($0); exec \"$0\" \"$@\"", binary] }
        process = try ChildProcess(
            limited == nil ? binary : "/bin/sh", (limited ?? []) + arguments, in: folder.url.path,
            output: streams.path("output"),
            complaint: complaint ?? streams.path("complaint"))
    }

    deinit { streams.remove() }

    func text(_ name: String) -> String {
        (try? String(contentsOf: streams.url.appending(path: name), encoding: .utf8)) ?? ""
    }

    /// Waits for the end; a process that goes on for a minute is ended, and its code is then the signal's.
    func wait() -> CommandLineTests.Outcome {
        let end = ContinuousClock.now + .seconds(60)
        while process.isRunning, ContinuousClock.now < end { usleep(2_000) }
        process.send(SIGKILL)
        let code = process.waitUntilExit()
        return CommandLineTests.Outcome(code: code, output: text("output"), complaint: text("complaint"))
    }

    /// The executable beside the test bundle: `swift build --build-tests` builds both.
    static var binary: URL {
        get throws {
            var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath().deletingLastPathComponent()
            for _ in 0..<5 {
                let candidate = folder.appending(path: "syncline")
                if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
                folder.deleteLastPathComponent()
            }
            throw CocoaError(.fileNoSuchFile)
        }
    }
}

/// A server as a process of its own, ready to answer.
final class Running {
    private let command: Command
    private let ready: TemporaryFolder
    let port: Int

    var processIdentifier: Int32 { command.process.processIdentifier }
    /// What was printed; of `dev` the banner at least, which comes when the server answers already.
    var output: String {
        let end = ContinuousClock.now + .seconds(30)
        while hasBanner, command.process.isRunning, ContinuousClock.now < end {
            let text = command.text("output")
            if text.contains(" is ready in ") { return text }
            usleep(5_000)
        }
        return command.text("output")
    }
    var complaint: String { command.text("complaint") }
    private let hasBanner: Bool

    init(
        _ arguments: [String], in folder: TemporaryFolder, descriptorsMax: Int? = nil, complaint: String? = nil
    ) throws {
        hasBanner = arguments.first == "dev"
        ready = try TemporaryFolder()
        command = try Command(
            arguments + ["--ready-file", ready.path("ready")], in: folder, descriptorsMax: descriptorsMax,
            complaint: complaint)
        let end = ContinuousClock.now + .seconds(60)
        var url: URLComponents?
        while url == nil, command.process.isRunning, ContinuousClock.now < end {
            let text = try? String(contentsOfFile: ready.path("ready"), encoding: .utf8)
            url = text.flatMap { URLComponents(string: $0.trimmingCharacters(in: .newlines)) }
            usleep(5_000)
        }
        guard let found = url?.port else {
            command.process.send(SIGTERM)
            port = 0
            try #require(Bool(false), "the server did not start: \(command.wait())")
            return
        }
        port = found
    }

    deinit {
        command.process.send(SIGTERM)
        ready.remove()
    }

    func connect() throws -> Client { try Client(port: port) }

    func wait() -> CommandLineTests.Outcome { command.wait() }

    /// Ends the process as it stands, in the midst of whatever it does.
    func crash() {
        command.process.send(SIGKILL)
        _ = command.process.waitUntilExit()
    }

    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) -> CommandLineTests.Outcome {
        command.process.send(signal)
        let outcome = command.wait()
        #expect(!Files.exists(ready.path("ready")), "the ready file goes with the server")
        return outcome
    }
}
