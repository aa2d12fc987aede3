import Foundation
import JSON
import Testing

@testable import Server

@Suite("The pages and files of the console")
struct ConsolePageTests {
    private func ask(_ client: Client, _ path: String, _ headers: [String: String] = [:]) throws -> Client.Answer {
        try client.ask("GET", path, headers: headers)
    }

    @Test(
        "every path below /console/ answers the shell, with a nonce of its own and the headers that keep foreign code out"
    )
    func shell() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            var nonces: Set<String> = []
            for path in ["/console/", "/console/data/Booking?filter=1", "/console/schema/deployments/7", "/console/x"] {
                let answer = try ask(client, path)
                #expect(answer.status == 200 && answer["Content-Type"] == ["text/html;charset=UTF-8"])
                let policy = try #require(answer["Content-Security-Policy"].first)
                let match = try #require(policy.firstMatch(of: /'nonce-([\w-]{22})'/))
                let nonce = String(match.1)
                #expect(nonces.insert(nonce).inserted)
                #expect(
                    policy
                        == "default-src 'none'; script-src 'nonce-\(nonce)' 'strict-dynamic'; style-src 'self'; img-src 'self' "
                        + "data: blob:; font-src 'self'; connect-src 'self'; media-src blob:; base-uri 'none'; form-action "
                        + "'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'")
                for (name, value) in [
                    ("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff"),
                    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
                    ("Cross-Origin-Resource-Policy", "same-origin"),
                ] { #expect(answer[name] == [value], "\(name)") }
                #expect(answer["Permissions-Policy"].first?.hasSuffix("clipboard-write=(self)") == true)
                #expect(!answer.body.contains("{{"))
            }
            for path in ["/console/query", "/console/query/", "/console/query/x"] {
                let policy = try ask(client, path)["Content-Security-Policy"].first
                #expect(policy?.contains("trusted-types") == false, "GraphiQL assigns HTML")
            }
            #expect(
                try ask(client, "/console/queryx")["Content-Security-Policy"].first?.contains("trusted-types") == true)
            let head = try client.ask("HEAD", "/console/", headers: [:])
            #expect(head.status == 200 && head.body.isEmpty)
        }
    }

    @Test("a file is sent by the hash of all, for ever and compressed; anything else there is 404")
    func assets() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            let base = "\(ConsolePage.assets)/\(ConsoleFiles.shared.hash)"
            let plain = try ask(client, "\(base)/console.js")
            #expect(plain.status == 200 && plain["Content-Type"] == ["text/javascript;charset=UTF-8"])
            #expect(plain["Cache-Control"] == ["public, max-age=31536000, immutable"])
            #expect(plain["X-Content-Type-Options"] == ["nosniff"] && plain["Content-Encoding"].isEmpty)
            #expect(plain.bytes == ConsoleFiles.shared.file("console.js")?.bytes)
            for _ in 0..<2 {
                let packed = try ask(client, "\(base)/console.js", ["Accept-Encoding": "br, gzip;q=0.5"])
                #expect(packed["Content-Encoding"] == ["gzip"] && packed["Vary"] == ["Accept-Encoding"])
                #expect(packed.bytes.count < plain.bytes.count && packed.bytes.prefix(2) == [0x1F, 0x8B])
            }
            #expect(try ask(client, "\(base)/console.js", ["Accept-Encoding": "gzip;q=0"])["Content-Encoding"].isEmpty)
            for path in [
                "\(base)/", base, "\(base)/none.js", "\(base)/index.html", "\(ConsolePage.assets)/0/console.js",
                "\(base)/../console.js", ConsolePage.assets, "\(ConsolePage.assets)/", "\(base)/console.js/",
            ] { #expect(try ask(client, path).status == 404, "\(path)") }
        }
    }

    @Test("a browser at / and /_/ is sent to the console, a program and an S3 client are not")
    func redirections() async throws {
        try await TestServer.with { server in
            let client = try server.connect()
            let html = ["Accept": "text/html,application/xhtml+xml;q=0.9"]
            for (path, headers) in [("/", html), ("/_/", [:]), ("/console", [:])] {
                let answer = try ask(client, path, headers)
                #expect(answer.status == 303 && answer["Location"] == ["/console/"], "\(path)")
                #expect(!answer.headers.contains { $0.name.lowercased().hasPrefix("access-control-") }, "\(path)")
            }
            #expect(try ask(client, "/").status == 404)
            #expect(try ask(client, "/", html.merging(["Authorization": "AWS a:b"]) { $1 }).status != 303)
            #expect(try ask(client, "/", html.merging(["Host": "evil.example"]) { $1 }).status == 404)
            #expect(try ask(client, "/console/", ["Host": "evil.example"]).status == 421)
            #expect(try ask(client, "/console/", ["Sec-Fetch-Site": "cross-site"]).status == 403)
            #expect(try ask(client, "/console/", ["X-Forwarded-For": "192.0.2.1"]).status == 404)
        }
        try await TestServer.with(mode: .serve) { server in
            let client = try server.connect()
            for path in ["/console/", "/console", "/_/", "/console/assets/x/console.js", "/"] {
                #expect(try ask(client, path, ["Accept": "text/html"]).status == 404, "\(path)")
            }
        }
    }

    @Test("the table has the files of Console/ and their bytes; scripts/console-table writes it anew")
    func table() throws {
        let folder = TidyTests.root.appending(path: "Console")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter { name in
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(atPath: folder.appending(path: name).path, isDirectory: &isFolder)
            return !isFolder.boolValue && !name.hasSuffix(".d.ts") && !name.hasSuffix(".json") && !name.hasPrefix(".")
        }
        let table = Dictionary(ConsoleFiles.embedded.map { ($0.path, $0.bytes) }) { first, _ in first }
        #expect(table.count == ConsoleFiles.embedded.count)
        for name in names {
            let bytes = [UInt8](try Data(contentsOf: folder.appending(path: name)))
            #expect(table[name] == bytes, "\(name): run scripts/console-table, and build")
        }
        let source = try String(
            contentsOf: TidyTests.root.appending(path: "Sources/CConsole/console.c"), encoding: .utf8)
        let own = source.matches(of: /#embed "..\/..\/Console\/([^"]+)"/).map { String($0.1) }
        #expect(Set(own) == Set(names))
        let lock = folder.appending(path: "assets.lock.json")
        guard let bytes = try? Data(contentsOf: lock) else { return }
        let foreign = try JSONReader.read([UInt8](bytes))["files"]?.objectValue?.map(\.key) ?? []
        #expect(Set(foreign).isSubset(of: table.keys), "run scripts/console-table")
    }

    @Test("modules are sent without their comments and with the same lines, third-party ones as they are")
    func comments() {
        func sent(_ text: String) -> String {
            String(decoding: ConsoleFile(Array(text.utf8), path: "kit/a.js").bytes, as: UTF8.self)
        }
        let module = """
            // What it is.
            let a = 1; // Kept, since it is no line of its own.
              // Removed.
            /** @type {any} */ let b = "/*";
            /**
             * Removed.
             */
            export const c = (/** @type {string} */ d) => `http://${d}`;
            """
        #expect(
            sent(module) == """

                let a = 1; // Kept, since it is no line of its own.

                let b = "/*";



                export const c = (d) => `http://${d}`;
                """)
        for third in ["var a=\"/**\",b=1/** c */;", "/** @license */\nvar a\n// b\n", "// /** without an end"] {
            #expect(sent(third) == (third.hasPrefix("//") ? "" : third))
        }
        for (path, bytes) in ConsoleFiles.embedded where path.hasSuffix(".js") {
            let lines = { (bytes: [UInt8]) in bytes.count { $0 == UInt8(ascii: "\n") } }
            #expect(lines(ConsoleFile(bytes, path: path).bytes) == lines(bytes), "\(path)")
        }
    }

    @Test("from a folder, files are read at each request, and no path leads out of it")
    func folder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("1", to: "Console/kit/a.js")
        try folder.write("secret", to: "other.js")
        try folder.write("third", to: ".build/console/preact-htm.js")
        let files = ConsoleFiles(from: folder.path("Console"))
        #expect(files.file("kit/a.js")?.bytes == Array("1".utf8))
        try folder.write("2", to: "Console/kit/a.js")
        #expect(files.file("kit/a.js")?.bytes == Array("2".utf8) && files.isFromDisk)
        #expect(files.file("preact-htm.js") != nil)
        for path in ["../other.js", "kit/../../other.js", "/etc/passwd", "", "kit//a.js", "%2e%2e/other.js", "kit"] {
            #expect(files.file(path) == nil, "\(path)")
        }
    }

    @Test("without the third-party files the page names the command that adds them")
    func withoutFiles() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("<html>{{nonce}} {{assets}}", to: "Console/index.html")
        let files = ConsoleFiles(from: folder.path("Console"))
        #expect(ConsolePage(files, path: "/console/").html.contains("scripts/console-assets"))
        try folder.write("", to: "Console/preact-htm.js")
        let page = ConsolePage(files, path: "/console/")
        #expect(page.html == "<html>\(page.nonce) /console/assets/disk")
    }
}
