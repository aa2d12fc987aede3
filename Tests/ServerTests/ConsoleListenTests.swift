import Foundation
import HTTP
import JSON
import Testing

@testable import Server

@Suite("console.listen: the console and the operators' API on an address of their own")
struct ConsoleListenTests {
    /// A server of a mode, with the port of the console's address.
    private func with(
        mode: Service.Mode, _ body: (TestServer, _ port: Int, _ token: String) throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try await TestServer.withDataFolder(mode: mode) {
            $0.console.listen = Listener(host: "127.0.0.1", port: 0)
            $0.userFolder = folder.path("user")
        } _: { server, _ in
            let url = try #require(server.service.makeConsoleURL().flatMap(URLComponents.init(string:)))
            let token = try Operators.create("ada", role: .owner, of: server.configuration)
            try body(server, try #require(url.port), token)
        }
    }

    @Test("there they are served, and nothing else is; elsewhere they are not", arguments: [Service.Mode.dev, .serve])
    func addresses(mode: Service.Mode) async throws {
        try await with(mode: mode) { server, port, token in
            #expect(port != server.port)
            let (own, other) = (try Client(port: port), try server.connect())
            let bearer = ["Authorization": "Bearer \(token)"]
            for path in ["/operators/v1/status", "/operators/v1/operators", "/operators/v1/requests"] {
                #expect(try own.ask("GET", path, headers: bearer).status == 200, "\(path)")
                #expect(try other.ask("GET", path, headers: bearer).status == 404, "\(path)")
            }
            #expect(try own.ask("GET", "/console/", headers: ["Host": "localhost"]).status == 200)
            #expect(try other.ask("GET", "/console/", headers: ["Host": "localhost"]).status == 404)
            #expect(try own.ask("GET", "/", headers: ["Host": "localhost"])["Location"] == ["/console/"])
            for client in [own, other] {
                #expect(try client.ask("GET", "/operators/v1/connect", headers: bearer).status == 200)
            }
            for path in [
                "/graphql", "/health", "/metrics", "/api-config", "/schema.graphql", "/nothing", "/clear-data",
            ] {
                #expect(try own.ask("GET", path, headers: bearer).status == 404, "\(path)")
            }
            #expect(try own.ask(headers: Client.usualHeaders, body: Client.envelope("{ __typename }")).status == 404)
            #expect(try other.ask("GET", "/health").status == 200)
            #expect(try own.ask("GET", "/operators/v1/status", headers: ["Host": "evil.example"]).status == 421)
            let socket = try WebSocketClient(
                port: port, "/operators/v1/live",
                headers: bearer.merging(["Host": "localhost", "Sec-WebSocket-Protocol": "syncline.live.v1"]) { $1 })
            #expect(try socket.ask(#"{"follow":[]}"#).hasPrefix(#"{"following":[]"#))
        }
    }

    @Test("the address is read from the configuration; clear text on one that others reach is refused at the start")
    func configuration() throws {
        func options(_ json: String) throws -> (ConsoleOptions, [String]) {
            let folder = try TemporaryFolder()
            defer { folder.remove() }
            try folder.write(#"{"console": \#(json)}"#, to: "config/syncline.json")
            let texts = SettingTexts(
                for: .serve, flags: [.config: [folder.path("config/syncline.json")]], environment: [:])
            do throws(ServerError) {
                return (try Configuration.load(texts).console, [])
            } catch { return (ConsoleOptions(), [error.text]) }
        }
        let read = try options(#"{"listen": "127.0.0.1:20443"}"#)
        #expect(read.0.listen == Listener(host: "127.0.0.1", port: 20_443), "\(read.1)")
        #expect(read.0.reach(in: .serve) == .everywhere)
        #expect(try options(#"{"listen": "[::1]:1,tls"}"#).0.listen?.listenerProtocol == .tls)
        for text in ["20443", "a:b", "127.0.0.1:1,redirect", "127.0.0.1:70000"] {
            #expect(try options(#"{"listen": "\#(text)"}"#).1.first?.contains("HOST:PORT") == true, "\(text)")
        }
        var (given, started) = (ConsoleOptions(), ConsoleOptions())
        (given.isEnabled, given.hosts, given.listen) = (true, ["console.test"], Listener(host: "127.0.0.1", port: 1))
        #expect(given.afterReload(of: started) == started, "it is not served on the addresses of the API meanwhile")
        started.listen = given.listen
        #expect(given.afterReload(of: started) == given)
        (given.isEnabled, given.listen) = (false, nil)
        #expect(given.afterReload(of: started).reach(in: .serve) == .nowhere)
        #expect(given.afterReload(of: started).listen == started.listen)
        func code(_ listener: Listener, _ change: (inout Configuration) -> Void = { _ in }) -> ServerError.Code? {
            var configuration = Configuration()
            configuration.address.host = "0.0.0.0"
            configuration.console.listen = listener
            change(&configuration)
            do throws(ServerError) {
                try configuration.console.check(for: .serve, configuration.address, configuration.tls)
                return nil
            } catch { return error.code }
        }
        #expect(code(Listener(host: "127.0.0.1", port: 1)) == nil, "the API's address may be reached by others")
        #expect(code(Listener(host: "10.0.0.5", port: 1)) == .address)
        #expect(code(Listener(host: "10.0.0.5", port: 1, .tls)) == .usage, "no name is known")
        #expect(code(Listener(host: "10.0.0.5", port: 1, .tls)) { $0.console.hosts = ["console.test"] } == nil)
        #expect(code(Listener(host: "10.0.0.5", port: 1)) { $0.console.isEnabled = false } == nil)
    }
}
