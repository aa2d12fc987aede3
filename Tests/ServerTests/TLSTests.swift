import Crypto
import Foundation
import HTTP
import Synchronization
import Testing

@testable import Server

@Suite("TLS of the service")
struct TLSTests {
    @Test("auto: one port serves both, and the certificate is good for every name, by full verification")
    func auto() async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        try await TestServer.with { configuration in
            configuration.tls.setting = .auto
            configuration.userFolder = home.path("home")
            configuration.tls.hosts = ["api.example.test"]
        } _: { server in
            let authority = try #require(server.service.tls?.authorityFile)
            #expect(authority == home.path("home/tls/ca.pem"), "it outlives data that is thrown away")
            for host in ["localhost", "a.localhost", "api.example.test", CertificateNames.machine, "127.0.0.1"] {
                let answer = try await TLSClient.get("/health", port: server.port, host: host, authority: authority)
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(host)")
            }
            #expect(try server.connect().ask("GET", "/health", headers: [:]).status == 200)
            #expect(server.service.tls?.url == "https://127.0.0.1:\(server.port)/graphql")
        }
        #expect(home.names.contains("home/tls/ca.pem"))
    }

    @Test("auto: the authority is with the data, and the same after a restart")
    func restart() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        var seen: [[UInt8]] = []
        for _ in 0..<2 {
            try await TestServer.with { configuration in
                (configuration.tls.setting, configuration.data.isEphemeral) = (.auto, false)
                configuration.data.folder = folder.path("data")
            } _: { server in
                let authority = try #require(server.service.tls?.authorityFile)
                #expect(authority == folder.path("data/tls/ca.pem"))
                seen.append(try Files.read(authority))
                _ = try await TLSClient.get("/health", port: server.port, authority: authority)
            }
        }
        #expect(seen.count == 2 && seen[0] == seen[1])
    }

    @Test("of two reloads of certificates at the same time, the later names are served in the end")
    func concurrentReloads() async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        try await TestServer.with { configuration in
            (configuration.tls.setting, configuration.userFolder) = (.auto, home.path("home"))
        } _: { server in
            let certificates = try #require(server.service.certificates)
            let authority = try #require(certificates.authorityFile(of: .local))
            for round in 0..<20 {
                let host = "round\(round).localhost"
                var changed = server.configuration
                changed.tls.hosts = [host]
                // As a change of the certificates' files does, which may be noticed at any moment.
                let other = Task.detached { try certificates.reload() }
                _ = try server.service.reload(changed)
                try await other.value
                let answer = try await TLSClient.get("/health", port: server.port, host: host, authority: authority)
                #expect(answer.hasPrefix("HTTP/1.1 200 "), "round \(round)")
            }
        }
    }

    @Test("a reload with a name that the authority may not issue for is reported, and served once it is renewed")
    func names() async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
        try await TestServer.with(log: log) { configuration in
            (configuration.tls.setting, configuration.userFolder) = (.auto, home.path("home"))
        } _: { server in
            let authority = try #require(server.service.tls?.authorityFile)
            let first = try Files.read(authority)
            // By the certificate itself: the address that is dialled is good in any case.
            func names() throws -> [String] {
                let folder = CertificateFolder(path: home.path("home/tls"))
                let contents = try CertificateFolder.prepare(folder, for: changed.certificateNames, now: Date())
                return contents.isNewLeaf ? [] : CertificateNames(of: contents.leaf.certificate).hostNames
            }
            var changed = server.configuration
            changed.tls.hosts = ["below.localhost", "192.168.77.7"]
            #expect(try names() == [])
            _ = try server.service.reload(changed)
            #expect(try names().contains("below.localhost"), "the authority may issue for it")
            #expect(lines.withLock { $0 }.isEmpty)

            changed.tls.hosts = ["new.example.test"]
            _ = try server.service.reload(changed)
            #expect(lines.withLock { $0.contains { $0.contains("is not for new.example.test") } })
            #expect(lines.withLock { $0.contains { $0.contains("'syncline trust --renew --ephemeral'") } })
            #expect(try !names().contains("new.example.test"))
            _ = try await TLSClient.get("/health", port: server.port, authority: authority)

            let watching = Task { await server.service.watchCertificates() }
            defer { watching.cancel() }
            let (renewed, previous) = try Authority.renew(changed)
            #expect(renewed.file == authority && previous?.bytes == first && renewed.bytes != first)
            var isServed = false
            for _ in 0..<3_000 where !isServed {
                let answer = try? await TLSClient.get(
                    "/health", port: server.port, host: "new.example.test", authority: authority)
                isServed = answer?.hasPrefix("HTTP/1.1 200 ") == true
                if !isServed { try await Task.sleep(for: .milliseconds(20)) }
            }
            #expect(isServed)
        }
    }

    @Test("with TLS off, a TLS client is reported in the log, once")
    func hint() async throws {
        let lines = Mutex<[String]>([])
        let log = Log(format: .text, level: .warning) { line in lines.withLock { $0.append(line) } }
        try await TestServer.with(log: log) { server in
            let made = try CertificateFolder.prepare(nil, for: CertificateNames(machine: "m", and: []), now: Date())
            try server.folder.write(made.authority.certificate.pem, to: "ca.pem")
            for _ in 0..<3 {
                await #expect(throws: (any Error).self) {
                    try await TLSClient.get("/health", port: server.port, authority: server.folder.path("ca.pem"))
                }
            }
            #expect(server.service.tls == nil)
            let hints = lines.withLock { $0.filter { $0.contains("--tls auto") } }
            #expect(hints.count == 1, "\(lines.withLock { $0 })")
            let metrics = try server.connect().ask("GET", "/metrics").body
            #expect(metrics.contains("\nsyncline_tls_handshakes_failed_total 3\n"))
        }
    }

    @Test("unusable certificates keep the server from starting, unless TLS was not asked for")
    func unusable() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write("no folder", to: "file")
        let rows: [(TLSSetting?, Int?, ServerError.Code?)] = [
            (.files([CertificateFiles(folder.path("none") + "," + folder.path("file"))!]), nil, .invalid),
            (.files([CertificateFiles(folder.path("file") + "," + folder.path("file"))!]), nil, .invalid),
            (.auto, nil, .data), (nil, 0, .data), (nil, nil, nil), (.off, 0, .usage),
        ]
        for (setting, port, code) in rows {
            do {
                try await TestServer.with { configuration in
                    (configuration.tls.setting, configuration.tls.port) = (setting, port)
                    configuration.userFolder = folder.path("file")
                } _: { server in
                    #expect(code == nil && server.service.tls == nil)
                }
            } catch let error as ServerError {
                #expect(error.code == code, "\(error.text)")
            }
        }
    }
}

@Suite("TLS of the binary", .serialized)
struct TLSCommandLineTests {
    /// Writes a certificate for a name with its key, as an operator would, and returns the flag's text.
    private func write(_ name: String, _ folder: TemporaryFolder, to stem: String) throws -> String {
        let made = try CertificateFolder.prepare(nil, for: CertificateNames(machine: name, and: []), now: Date())
        try folder.write(made.authority.certificate.pem, to: "\(name)-ca.pem")
        try folder.write(made.leaf.certificate.pem, to: "\(stem).pem")
        try folder.write(made.leaf.key.pemRepresentation, to: "\(stem).key")
        return "\(folder.path("\(stem).pem")),\(folder.path("\(stem).key"))"
    }

    @Test("serve reads its own certificates again on SIGHUP and when they change; a broken pair changes nothing")
    func files() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let flag = try write("first.test", folder, to: "own")
        let server = try Running(["serve", "--port", "0", "--data", ":memory:", "--tls", flag], in: folder)
        defer { server.stop() }
        func isServed(_ name: String) async -> Bool {
            let authority = folder.path("\(name)-ca.pem")
            let answer = try? await TLSClient.get("/health", port: server.port, host: name, authority: authority)
            return answer?.hasPrefix("HTTP/1.1 200 ") == true
        }
        func becomesServed(_ name: String) async throws -> Bool {
            // By attempts and not by the clock: other tests may hold this process's threads for seconds.
            for _ in 0..<3_000 {
                if await isServed(name) { return true }
                try await Task.sleep(for: .milliseconds(20))
            }
            return false
        }
        #expect(await isServed("first.test"))
        _ = try write("second.test", folder, to: "own")
        kill(server.processIdentifier, SIGHUP)
        #expect(try await becomesServed("second.test"))
        // Without a signal, by the look at the files.
        _ = try write("third.test", folder, to: "own")
        #expect(try await becomesServed("third.test"))
        try folder.write("broken", to: "own.key")
        kill(server.processIdentifier, SIGHUP)
        try await eventually { server.complaint.contains("The certificates are not replaced") }
        #expect(await isServed("third.test"))
        #expect(try server.connect().ask("GET", "/health", headers: [:]).status == 200)
    }

    @Test("--tls-port is shown after the URL and refuses clear text; a second certificate is chosen by its name")
    func port() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let flags = try ["one.test", "two.test"].map { ["--tls", try write($0, folder, to: $0)] }
        let server = try Running(
            ["serve", "--port", "0", "--data", ":memory:", "--tls-port", "0"] + flags.flatMap(\.self), in: folder)
        defer { server.stop() }
        try await eventually { server.output.split(separator: "\n").count == 2 }
        let port = try #require(URLComponents(string: server.output.split(separator: "\n").map(String.init)[1])?.port)
        #expect(port != server.port)
        for name in ["one.test", "two.test"] {
            let authority = folder.path("\(name)-ca.pem")
            #expect(try await TLSClient.get("/health", port: port, host: name, authority: authority).contains(" 200 "))
        }
        #expect(try Client(port: port).ask("GET", "/health", headers: [:]).status == 400)
        #expect(try server.connect().ask("GET", "/health", headers: [:]).status == 200)
    }

    @Test("--tls-only refuses clear text on every port, and needs certificates", arguments: [false, true])
    func tlsOnly(isVariable: Bool) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        if isVariable { try folder.write(#"{"tlsOnly": true}"#, to: "config/syncline.json") }
        let flags = ["serve", "--port", "0", "--data", ":memory:"] + (isVariable ? [] : ["--tls-only"])
        let none = try run(flags, in: folder)
        #expect(none.code == 2 && none.complaint.contains("--tls-only needs certificates"), "\(none)")
        let server = try Running(flags + ["--tls", try write("one.test", folder, to: "one")], in: folder)
        defer { server.stop() }
        try await eventually { server.output.hasPrefix("https://127.0.0.1:\(server.port)/graphql") }
        for path in ["/health", "/graphql"] {
            let answer = try server.connect().ask("GET", path, headers: [:])
            #expect(answer.status == 400 && answer.body.contains("https://"), "\(answer.body)")
            #expect(answer["x-amzn-ErrorType"] == ["MalformedHttpRequestException"])
        }
        let authority = folder.path("one.test-ca.pem")
        let answer = try await TLSClient.get("/health", port: server.port, host: "one.test", authority: authority)
        #expect(answer.contains(" 200 "))
    }

    @Test("dev names the authority in its banner, and 'trust' shows, installs and removes it")
    func trust() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        try folder.write("", to: "anchors/other.crt")
        let none = try run(["trust", "--folder", "anchors"], in: folder)
        #expect(none.code == 0 && none.output.contains("There is no local certificate authority yet"))
        let server = try Running(["dev", "--port", "0"], in: folder)
        try await eventually { server.output.contains(".syncline/tls/ca.pem") }
        #expect(server.output.contains("https://127.0.0.1:\(server.port)/graphql"))
        let file = folder.path(".syncline/tls/ca.pem")
        #expect(try await TLSClient.get("/health", port: server.port, authority: file).contains(" 200 "))
        #expect(server.stop().code == 0)
        func trust(_ arguments: [String]) throws -> CommandLineTests.Outcome {
            try run(["trust", "--folder", "anchors"] + arguments, in: folder)
        }
        #expect(try trust([]).output.contains("does not trust it"))
        #expect(try trust([]).output.contains("It can issue certificates for localhost"))
        #expect(try trust(["--install"]).code == 0)
        #expect(try trust([]).output.contains("This system trusts it"))
        #expect(folder.names.filter { $0.hasPrefix("anchors/") }.count == 2)
        let old = try Files.read(file)
        let renewed = try trust(["--renew"])
        #expect(renewed.code == 0 && renewed.output.contains("this system, which trusts the old one"), "\(renewed)")
        #expect(renewed.output.contains("simulators") && renewed.output.contains("ca-previous.pem"))
        #expect(try Files.read(file) != old)
        #expect(try trust([]).output.contains("does not trust it"))
        #expect(try trust(["--renew", "--install"]).code == 0)
        #expect(try trust([]).output.contains("This system trusts it"))
        #expect(folder.names.filter { $0.hasPrefix("anchors/") }.count == 3, "the old one is the user's to remove")
        let anchors = folder.names.filter { $0.hasPrefix("anchors/syncline-") }.map(folder.path)
        let oldAnchor = try #require(anchors.first { (try? Files.read($0)) == old })
        try FileManager.default.removeItem(atPath: oldAnchor)
        #expect(try trust(["--remove"]).code == 0)
        #expect(try trust(["--remove", "--renew"]).code == 2)
        #expect(folder.names.filter { $0.hasPrefix("anchors/") } == ["anchors/other.crt"])
        #expect(try trust(["--install", "--remove"]).code == 2)
        #expect(try run(["trust", "--install", "--folder", "nowhere"], in: folder).code == 1)
    }

    #if os(Linux)
    @Test("200 handshakes, whole and cut, leave no descriptor behind")
    func descriptors() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let server = try Running(["dev", "--port", "0"], in: folder)
        defer { server.stop() }
        let authority = folder.path(".syncline/tls/ca.pem")
        _ = try await TLSClient.get("/health", port: server.port, authority: authority)
        let before = server.descriptorCount
        for number in 0..<200 {
            if number % 2 == 0 {
                _ = try await TLSClient.get("/health", port: server.port, authority: authority)
            } else {
                try Client(port: server.port).send("\u{16}\u{3}\u{1}\u{2}")
            }
        }
        try await eventually { server.descriptorCount <= before }
    }
    #endif
}
