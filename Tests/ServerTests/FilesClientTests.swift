import Buckets
import Crypto
import Foundation
import JSON
import Synchronization
import Testing
import UserPools

@testable import Server

@Suite("The verbs of files", .serialized)
struct FilesClientTests {
    /// Runs `body` twice on one data folder: beside a server, and without one.
    private func with(_ body: (FilesClient, TemporaryFolder) async throws -> Void) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        try await TestServer.with({ $0.data = configuration.data }) { server in
            let files = try TemporaryFolder()
            defer { files.remove() }
            try await FilesClient.with(configuration) { try await body($0, files) }
        }
        let files = try TemporaryFolder()
        defer { files.remove() }
        try await FilesClient.with(configuration) { try await body($0, files) }
    }

    @Test("a refusal has S3's code and its sentence with every character that XML writes as a reference")
    func refusalTexts() {
        let refusal = S3Refusal(
            404, Array("<Error><Code>NoSuchBucket</Code><Message>a&#x1;b &amp;lt; &quot;</Message></Error>".utf8))
        #expect(refusal.code == "NoSuchBucket" && refusal.message == "a\u{1}b &lt; \"" && refusal.bucket == nil)
        #expect(refusal.problem == nil)
        for body in ["", "<html><Code>x</Code></html>", "<Error><Code>x"] {
            let other = S3Refusal(502, Array(body.utf8))
            #expect(other.code == nil && other.message == "HTTP status 502", "\(body)")
        }
    }

    private func keys(_ client: FilesClient, _ path: String) async throws -> [String] {
        var keys: [String] = []
        try await client.list(try FilesPath(path)) { keys += $0.map(\.key) }
        return keys
    }

    @Test("objects are stored, listed, copied, read and removed, beside a server and without one")
    func objects() async throws {
        try await with { client, files in
            #expect(try await client.buckets() == ["syncline"])
            let text = String(repeating: "large ", count: 200_000)
            try files.write(text, to: "a.txt")
            let last = Mutex((0, 0))
            let path = try FilesPath("s3://syncline/folder/a b+c%20\u{E9}<&>.txt")
            try await client.put(files.path("a.txt"), to: path) { count, total in last.withLock { $0 = (count, total) }
            }
            #expect(last.withLock { $0 } == (1_200_000, 1_200_000))
            let copied = try FilesPath("syncline/folder/copy")
            try await client.copy(path, to: copied)
            #expect(try await keys(client, "syncline/folder/") == [path.key, "folder/copy"])
            try await client.get(copied, to: files.path("b.txt"))
            #expect(try String(contentsOfFile: files.path("b.txt"), encoding: .utf8) == text)
            for path in [path, copied] { try await client.remove(path) }
            #expect(try await keys(client, "syncline").isEmpty)
            let error = await #expect(throws: ServerError.self) {
                try await client.get(copied, to: files.path("c.txt"))
            }
            #expect(error?.text.contains("The specified key does not exist.") == true)
            #expect(files.names == ["a.txt", "b.txt"], "no part of a file is left")
        }
    }

    @Test("a download changes no other file and follows no link, and of two to one file each is whole")
    func download() async throws {
        try await with { client, files in
            let paths = try ["one", "two"].map { try FilesPath("syncline/\($0)") }
            let texts = ["1", "2"].map { String(repeating: $0, count: 3_000_000) }
            for (path, text) in zip(paths, texts) {
                try files.write(text, to: "source")
                try await client.put(files.path("source"), to: path)
            }
            try files.write("mine", to: "x.partial")
            try files.write("mine", to: "target")
            for link in ["y.partial", "y"] {
                try FileManager.default.createSymbolicLink(
                    atPath: files.path(link), withDestinationPath: files.path("target"))
            }
            await #expect(throws: ServerError.self) {
                try await client.get(FilesPath("syncline/none"), to: files.path("x"))
            }
            for name in ["x", "y"] { try await client.get(paths[0], to: files.path(name)) }
            for name in ["x.partial", "target"] {
                #expect(try String(contentsOfFile: files.path(name), encoding: .utf8) == "mine")
            }
            #expect(Files.target(ofLink: files.path("y")) == nil, "the link is replaced, and not what it leads to")

            let both = files.path("both")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for path in paths { group.addTask { try await client.get(path, to: both) } }
                try await group.waitForAll()
            }
            #expect(try texts.contains(String(contentsOfFile: both, encoding: .utf8)))

            try FileManager.default.createDirectory(atPath: files.path("folder"), withIntermediateDirectories: false)
            let error = await #expect(throws: ServerError.self) {
                try await client.get(paths[0], to: files.path("folder"))
            }
            #expect(error?.text.contains("Not a regular file") == true, "\(error?.text ?? "")")
            #expect(
                files.names == ["both", "folder", "source", "target", "x", "x.partial", "y", "y.partial"],
                "\(files.names)")
            for path in paths { try await client.remove(path) }
        }
    }

    @Test("a folder is synchronized without the files whose objects are equal")
    func synchronize() async throws {
        try await with { client, files in
            for name in ["one.jpg", "sub/two.jpg", ".hidden"] { try files.write(name, to: "folder/\(name)") }
            let path = try FilesPath("syncline/public")
            func stored() async throws -> [String] {
                var stored: [String] = []
                try await client.synchronize(files.path("folder"), to: path) { name, outcome in
                    if outcome == .stored { stored.append(name) }
                }
                return stored
            }
            #expect(try await stored() == ["one.jpg", "sub/two.jpg"])
            #expect(try await stored() == [])
            try files.write("one.JPG", to: "folder/one.jpg")
            #expect(try await stored() == ["one.jpg"])
            #expect(try await keys(client, "syncline") == ["public/one.jpg", "public/sub/two.jpg"])
            for key in ["public/one.jpg", "public/sub/two.jpg"] {
                try await client.remove(try FilesPath("syncline/\(key)"))
            }
        }
    }

    @Test("a file is not uploaded again if its object was uploaded in parts of a usual size")
    func synchronizeParts() async throws {
        try await with { client, files in
            let path = try FilesPath("syncline/parts/a")
            let parts = [String(repeating: "a", count: 5 << 20), "rest"]
            try files.write(parts.joined(), to: "folder/a")
            func send(_ method: String, _ query: String, _ text: String) async throws -> String {
                try files.write(text, to: "body")
                let file = files.path("body")
                let body = FilePieces(file: try LocalFile.reading(file), path: file, sent: { _ in })
                var bytes: [UInt8] = []
                let headers = try await client.perform(
                    method, path.encoded, query: query, body: body, receive: { bytes += $0 })
                return method == "PUT"
                    ? headers.first { $0.name.lowercased() == "etag" }?.value ?? ""
                    : String(decoding: bytes, as: UTF8.self)
            }
            let begun = Array(try await send("POST", "uploads", "").utf8)
            let id = try #require(FilesClient.document(begun, "InitiateMultipartUploadResult")["UploadId"]).text
            var document = "<CompleteMultipartUpload>"
            for (index, part) in parts.enumerated() {
                let etag = try await send("PUT", "partNumber=\(index + 1)&uploadId=\(id)", part)
                document += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(etag)</ETag></Part>"
            }
            _ = try await send("POST", "uploadId=\(id)", document + "</CompleteMultipartUpload>")
            func synchronize() async throws -> FilesClient.Synchronized? {
                var outcomes: [String: FilesClient.Synchronized] = [:]
                try await client.synchronize(files.path("folder"), to: FilesPath("syncline/parts")) {
                    outcomes[$0] = $1
                }
                return outcomes["a"]
            }
            #expect(try await synchronize() == .equal)
            try files.write(parts[0] + "REST", to: "folder/a")
            #expect(try await synchronize() == .stored)
            try await client.remove(path)
        }
    }

    @Test(
        "the ETag of an upload in parts is that of the bytes, cut into parts of each usual size",
        arguments: [(5, 2, 1), (8, 3, 0), (16, 2, 77), (10, 2, 9), (5, 1, 0)])
    func compositeETags(partMebibytes: Int, count: Int, rest: Int) {
        let partBytes = partMebibytes << 20
        let bytes = [UInt8](repeating: 7, count: partBytes * (count - 1) + (rest == 0 ? partBytes : rest))
        var hashes = Insecure.MD5()
        for start in stride(from: 0, to: bytes.count, by: partBytes) {
            hashes.update(data: Array(Insecure.MD5.hash(data: bytes[start..<min(start + partBytes, bytes.count)])))
        }
        let etag = "\(hashes.finalize().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())-\(count)"
        func isEqual(_ etag: String, _ bytes: [UInt8]) -> Bool {
            var comparison = ETagComparison(etag: etag, byteCount: bytes.count)
            // In pieces that do not end where parts do.
            for start in stride(from: 0, to: bytes.count, by: 300_001) {
                comparison.update(Array(bytes[start..<min(start + 300_001, bytes.count)]))
            }
            return comparison.isEqual()
        }
        #expect(isEqual(etag, bytes))
        #expect(!isEqual(etag, bytes.dropLast() + [bytes[bytes.count - 1] &+ 1]))
        #expect(!ETagComparison(etag: "x-1000", byteCount: bytes.count).isPossible)
    }

    @Test(
        "what cannot be uploaded is left out by name: pipes, links that lead nowhere or in a circle, files without permission"
    )
    func leftOut() async throws {
        try await with { client, files in
            try files.write("one", to: "folder/one.jpg")
            let deep = (1...40).map { "d\($0)" }.joined(separator: "/")
            try files.write("deep", to: "folder/\(deep)/x")
            try files.write("secret", to: "folder/secret")
            let manager = FileManager.default
            try manager.setAttributes([.posixPermissions: 0], ofItemAtPath: files.path("folder/secret"))
            try manager.createSymbolicLink(atPath: files.path("folder/dangling"), withDestinationPath: "none")
            try manager.createSymbolicLink(atPath: files.path("folder/d1/circle"), withDestinationPath: "..")
            try unsafe #require(mkfifo(files.path("folder/pipe"), 0o600) == 0)
            let isRoot = geteuid() == 0
            for isFirst in [true, false] {
                var outcomes: [String: FilesClient.Synchronized] = [:]
                try await client.synchronize(files.path("folder"), to: FilesPath("syncline/left")) { outcomes[$0] = $1 }
                let done: FilesClient.Synchronized = isFirst ? .stored : .equal
                #expect(outcomes["one.jpg"] == done && outcomes["\(deep)/x"] == done)
                var leftOut = outcomes.compactMap {
                    if case .leftOut(let reason) = $1 { "\($0): \(reason)" } else { nil }
                }
                if isRoot { leftOut.append("secret: Permission denied") }
                #expect(
                    leftOut.sorted() == [
                        "d1/circle: It links to a folder that it is in",
                        "dangling: It is a link that leads nowhere: No such file or directory",
                        "pipe: Not a regular file", "secret: Permission denied",
                    ])
            }
            let error = await #expect(throws: ServerError.self) {
                try await client.put(files.path("folder/pipe"), to: FilesPath("syncline/left/pipe"))
            }
            #expect(error?.text.contains("Not a regular file") == true, "\(error?.text ?? "")")
            for key in try await keys(client, "syncline/") { try await client.remove(FilesPath("syncline/\(key)")) }
        }
    }

    @Test("a file that cannot be read to its end is reported, and no object is stored")
    func unreadable() async throws {
        try await with { client, files in
            try files.write(String(repeating: "x", count: 3_000_000), to: "folder/a")
            let path = files.path("folder/a")
            @Sendable func cut(_ count: Int) { if count < 1_000_000 { unsafe truncate(path, 300_000) } }
            let error = await #expect(throws: ServerError.self) {
                try await client.put(path, to: FilesPath("syncline/cut/a")) { count, _ in cut(count) }
            }
            #expect(
                error?.text.contains("Cannot read \(path): It has become shorter while it was read.") == true,
                "\(error?.text ?? "")")
            try files.write(String(repeating: "x", count: 3_000_000), to: "folder/a")
            var outcomes: [FilesClient.Synchronized] = []
            try await client.synchronize(
                files.path("folder"), to: FilesPath("syncline/cut"), progress: { _, count, _ in cut(count) }
            ) { outcomes.append($1) }
            #expect(outcomes == [.leftOut("It has become shorter while it was read")])
            #expect(try await keys(client, "syncline").isEmpty)
        }
    }

    @Test("an error names the object as the user wrote it, and of a copy the one that is missing")
    func subjects() async throws {
        try await with { client, files in
            func text(_ body: () async throws -> Void) async -> String {
                await #expect(throws: ServerError.self) { try await body() }?.text ?? ""
            }
            let key = "a b+\u{E9}"
            let copy = await text {
                try await client.copy(FilesPath("syncline/\(key)"), to: FilesPath("syncline/target"))
            }
            #expect(copy.contains("syncline/\(key): The specified key does not exist."), "\(copy)")
            let source = await text {
                try await client.copy(FilesPath("none/\(key)"), to: FilesPath("syncline/target"))
            }
            #expect(source.contains("none/\(key): The specified bucket does not exist"), "\(source)")
            try files.write("x", to: "a")
            try await client.put(files.path("a"), to: FilesPath("syncline/\(key)"))
            let target = await text {
                try await client.copy(FilesPath("syncline/\(key)"), to: FilesPath("none/target"))
            }
            #expect(target.contains("none/target: The specified bucket does not exist"), "\(target)")
            try await client.remove(FilesPath("syncline/\(key)"))
            let get = await text { try await client.get(FilesPath("syncline/\(key)"), to: files.path("b")) }
            #expect(get.contains("syncline/\(key): The specified key does not exist."), "\(get)")
        }
    }

    @Test("beside a server without storage the verbs say so")
    func withoutStorage() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with(mode: .serve, { $0.data = data }) { _ in
            let error = await #expect(throws: ServerError.self) {
                try await FilesClient.with(configuration) { try await $0.buckets() }
            }
            #expect(
                error?.text.contains("The server that runs on this data folder serves no buckets.") == true,
                "\(error?.text ?? "")")
        }
    }

    @Test("the exit code of a synchronization says that something was left out")
    func exitCode() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with({ $0.data = data }) { _ in
            try folder.write("text", to: "files/a")
            let arguments = ["files", "sync", "files", "syncline/x", "--data", "data"]
            #expect(try run(arguments, in: folder).code == 0)
            try unsafe #require(mkfifo(folder.path("files/pipe"), 0o600) == 0)
            let plain = try run(arguments, in: folder)
            #expect(plain.code == 1 && plain.output == "0 stored, 1 equal already, 1 left out.\n", "\(plain)")
            #expect(plain.complaint.contains("warning: pipe is left out: Not a regular file."), "\(plain)")
            let json = try run(arguments + ["--json"], in: folder)
            #expect(json.code == 1 && json.output.contains(#""leftOut":"Not a regular file""#), "\(json)")
            let put = try run(["files", "put", "files/pipe", "syncline/pipe", "--data", "data"], in: folder)
            #expect(put.code == 2 && put.complaint.contains("Cannot read files/pipe: Not a regular file."), "\(put)")
        }
    }

    @Test("names that differ in bytes alone are two files and two objects")
    func names() async throws {
        try await with { client, files in
            let names = ["\u{E9}", "e\u{301}"]
            for name in names { try files.write("same", to: "folder/\(name)") }
            var stored: [[UInt8]] = []
            for name in names + [""] {
                try await client.synchronize(files.path("folder"), to: FilesPath("syncline/n")) { name, outcome in
                    if outcome == .stored { stored.append(Array(name.utf8)) }
                }
                // The next time only the file of this very name has no object.
                if !name.isEmpty { try await client.remove(FilesPath("syncline/n/\(name)")) }
            }
            #expect(stored.count == 4 && Array(stored.suffix(2)) == names.map { Array($0.utf8) }, "\(stored)")
            for key in try await keys(client, "syncline/") { try await client.remove(FilesPath("syncline/\(key)")) }
        }
    }

    @Test("verbs that change something are in the audit log, and an unknown bucket's error names the buckets there are")
    func audit() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        func change() async throws {
            try folder.write("text", to: "a.txt")
            try await FilesClient.with(configuration) { client in
                try await client.put(folder.path("a.txt"), to: FilesPath("syncline/a b"))
                try await client.copy(FilesPath("syncline/a b"), to: FilesPath("syncline/c"))
                _ = try await keys(client, "syncline")
                try await client.remove(FilesPath("syncline/c"))
                let error = await #expect(throws: ServerError.self) {
                    try await client.put(folder.path("a.txt"), to: FilesPath("pictures/a"))
                }
                #expect(error?.text.contains("The buckets are: syncline.") == true, "\(error?.text ?? "")")
            }
        }
        try await TestServer.with({ $0.data = data }) { _ in try await change() }
        try await change()
        var lines: [JSONValue] = []
        try await OperatorClient(configuration).audit { line in
            if let value = try? JSONReader.read(line) { lines.append(value) }
        }
        let once = [
            "files.put syncline/a b", "files.copy syncline/c", "files.remove syncline/c", "files.put pictures/a",
            "files.put.failed pictures/a",
        ]
        let entries = lines.map { "\($0["action"]?.stringValue ?? "") \($0["target"]?.stringValue ?? "")" }
        #expect(entries == once + once)
        #expect(
            lines.map { $0["address"]?.stringValue } == Array(repeating: "operators.sock", count: 5)
                + Array(repeating: "command line", count: 5))
    }

    @Test("what clients have named does not reach the terminal as it is, and results are printed as JSON where asked")
    func terminal() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with({ $0.data = data }) { _ in
            try folder.write("text", to: "a.txt")
            let key = "x\u{1B}[2J\u{9B}31m\r\n\u{202E}y"
            let put = try run(["files", "put", "a.txt", "syncline/\(key)", "--json", "--data", "data"], in: folder)
            #expect(put.code == 0, "\(put)")
            #expect(try JSONReader.read(put.output) == ["bucket": "syncline", "key": .string(key), "file": "a.txt"])
            let listed = try run(["files", "ls", "syncline/", "--data", "data"], in: folder)
            #expect(listed.output.hasSuffix("  x\\u001b[2J\\u009b31m\\u000d\\u000a\\u202ey\n"), "\(listed)")
            for arguments in [
                ["cp", "syncline/\(key)", "syncline/\u{1B}c"], ["get", "syncline/\u{1B}c", "b.txt"],
                ["rm", "syncline/\u{1B}c"], ["ls", "syncline/", "--json"], ["get", "syncline/\u{1B}none", "c.txt"],
            ] {
                let done = try run(["files"] + arguments + ["--data", "data"], in: folder)
                #expect(!(done.output + done.complaint).unicodeScalars.contains("\u{1B}"), "\(done)")
            }
        }
    }

    @Test("a shell reads the variables of an access key as they are, and runs nothing that is in them")
    func credentials() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let broken = folder.path("broken")
        let secret = "a'; touch \(broken); echo '$(touch \(broken))\"`b \\"
        let configuration: JSONValue = ["accessKeys": [["id": "AKIAEXAMPLE", "secret": .string(secret)]]]
        try folder.write("\(configuration)", to: "config.json")
        let outcome = try run(["files", "credentials", "--config", "config.json"], in: folder)
        #expect(outcome.code == 0 && outcome.output.contains("export AWS_ACCESS_KEY_ID=AKIAEXAMPLE\n"), "\(outcome)")
        try folder.write(outcome.output, to: "variables")
        let script = #"eval "$(cat "$0")"; printf %s "$AWS_SECRET_ACCESS_KEY" > "$1""#
        try #require(Subprocess.run(["sh", "-c", script, folder.path("variables"), folder.path("read")]) == 0)
        #expect(try String(contentsOfFile: folder.path("read"), encoding: .utf8) == secret)
        #expect(!Files.exists(broken))
    }

    @Test("a presigned URL of the verb is fetched from the server whose key signed it")
    func url() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        let data = configuration.data
        try await TestServer.with({ $0.data = data }) { server in
            let client = try server.connect()
            try folder.write("hello", to: "a.txt")
            let path = try FilesPath("syncline/public/a b.txt")
            try await FilesClient.with(configuration) { try await $0.put(folder.path("a.txt"), to: path) }
            for endpoint in ["http://127.0.0.1:\(server.port)", nil] {
                let url = try await FilesClient.url(path, configuration, endpoint: endpoint, seconds: 60)
                #expect(url.hasPrefix("http://127.0.0.1:\(server.port)/syncline/public/a%20b.txt?"), "\(url)")
                let target = try #require(url.split(separator: ":\(server.port)").last)
                let answer = try client.ask("GET", String(target), headers: ["Host": "127.0.0.1:\(server.port)"])
                #expect(answer.body == "hello" && answer["content-type"] == ["text/plain"])
            }
            await #expect(throws: ServerError.self) {
                try await FilesClient.url(path, configuration, endpoint: nil, seconds: 700_000)
            }
        }
    }

    @Test("the URL of the verb begins with the endpoint, publicURL or the configured address where no server runs")
    func urlWithoutServer() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var configuration = Configuration()
        configuration.data.folder = folder.path("data")
        configuration.userPools.accessKeys = [.init(id: "AKIA", secret: "secret")]
        let path = try FilesPath("syncline/a")
        func url(_ endpoint: String? = nil, _ change: (inout Configuration) -> Void = { _ in }) async throws -> String {
            var changed = configuration
            change(&changed)
            let url = try await FilesClient.url(path, changed, endpoint: endpoint, seconds: 60)
            return String(url.prefix { $0 != "?" })
        }
        #expect(try await url() == "http://127.0.0.1:20002/syncline/a")
        #expect(try await url { ($0.address.host, $0.address.port) = ("::", 8_000) } == "http://[::1]:8000/syncline/a")
        #expect(try await url { $0.userPools.publicURL = "https://a.test" } == "https://a.test/syncline/a")
        // Clients send no port in Host that is their scheme's.
        #expect(try await url("https://a.test:443/") == "https://a.test/syncline/a")
        await #expect(throws: ServerError.self) { try await url { $0.address.port = 0 } }
        await #expect(throws: ServerError.self) { try await url("a.test") }
    }
}
