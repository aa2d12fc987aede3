import Foundation
import JSON
import Testing
import Transformer

@testable import Server

/// The scenarios (reference: datastore-sync, "Scenarios") that are about sockets and processes: 48, 56 and 57.
@Suite("DataStore over HTTP and the socket")
struct DataStoreTests {
    private static let schema = """
        input AMPLIFY { globalAuthRule: AuthRule = { allow: public } }
        type Room @model { id: ID! name: String bookings: [Booking] @hasMany(indexName: "byRoom", fields: ["id"]) }
        type Booking @model {
          id: ID!
          title: String
          roomID: ID @index(name: "byRoom")
          room: Room @belongsTo(fields: ["roomID"])
        }
        """
    private static let subscription = "subscription { onUpdateRoom { id _version _lastChangedAt } }"
    /// As a device makes it; it begins again with the same.
    private static let id = "b1f0c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d"

    private func with(_ body: (TestServer, Client) async throws -> Void) async throws {
        try await TestServer.with(schema: Self.schema, { $0.transform.conflictDetection = .version }) { server in
            let client = try server.connect()
            let answer = try client.graphql(#"mutation { createRoom(input: {id: "r"}) { _version } }"#)
            #expect(answer == #"{"data":{"createRoom":{"_version":1}}}"#)
            try await body(server, client)
        }
    }

    /// One update of the room, whatever its version is.
    private static let update = #"mutation { updateRoom(input: {id: "r"}) { _version } }"#

    private static func version(_ number: Int) -> String { #"{"data":{"updateRoom":{"_version":\#(number)}}}"# }

    /// The versions and `startedAt` of a sync.
    private func sync(_ client: Client, since lastSync: Int64 = 0) throws -> (items: String, startedAt: Int64) {
        let text = try client.graphql("{ syncRooms(lastSync: \(lastSync)) { items { id _version } startedAt } }")
        let page = try JSONReader.read(text)["data"]?["syncRooms"]
        return (page?["items"]?.description ?? text, try #require(page?["startedAt"]?.intValue, "\(text)"))
    }

    /// The next event's version and stamp.
    private func event(_ socket: WebSocketClient) throws -> (version: Int64, stamp: Int64) {
        let text = try socket.receive()
        let room = try JSONReader.read(text)["payload"]?["data"]?["onUpdateRoom"]
        return (
            try #require(room?["_version"]?.intValue, "\(text)"),
            try #require(room?["_lastChangedAt"]?.intValue, "\(text)")
        )
    }

    @Test("what is committed after start_ack reaches the socket and the sync, each version once and in order")
    func hundredWriters() async throws {
        try await with { server, client in
            let begin = try sync(client)
            // Connections go to the loops in turn, so both loops have two of these and fifty of the writers.
            let sockets = try (0..<4).map { _ in
                let socket = try WebSocketClient(port: server.port).acknowledged()
                #expect(try socket.start(Self.id, Self.subscription) == WebSocketClient.acknowledgement(Self.id))
                return socket
            }
            #expect(try client.graphql(Self.update) == Self.version(2))
            #expect(try sync(client, since: begin.startedAt).items == #"[{"id":"r","_version":2}]"#)

            let writers = try (0..<100).map { _ in try server.connect() }
            let request = Client.request(
                "POST", "/graphql", headers: Client.usualHeaders, body: Client.envelope(Self.update))
            var answers: Set<String> = []
            for _ in 0..<3 {
                for writer in writers { try writer.send(request) }
                for writer in writers { answers.insert(try writer.receive().body) }
            }
            #expect(answers == Set((3...302).map(Self.version)), "each write made a version of its own")
            for socket in sockets {
                let events = try (2...302).map { _ in try event(socket) }
                #expect(events.map(\.version) == Array(2...302))
                #expect(events.map(\.stamp) == events.map(\.stamp).sorted())
            }
            #expect(try sync(client, since: begin.startedAt).items == #"[{"id":"r","_version":302}]"#)
        }
    }

    /// When the changes are made: with the server aware that the socket is gone, or before it can be.
    @Test(
        "what is committed around a lost socket reaches the subscription that begins again",
        arguments: [true, false])
    func comesBack(isNoticed: Bool) async throws {
        try await with { server, client in
            do {
                let socket = try WebSocketClient(port: server.port).acknowledged()
                #expect(try socket.start(Self.id, Self.subscription) == WebSocketClient.acknowledgement(Self.id))
                #expect(try client.graphql(Self.update) == Self.version(2))
                #expect(try event(socket).version == 2)
                // What is sent now is lost with the socket.
                if !isNoticed {
                    for number in 3...5 { #expect(try client.graphql(Self.update) == Self.version(number)) }
                }
                socket.resetOnClose()
            }
            try await eventually { try client.metric("websockets_open") == 0 }
            if isNoticed { for number in 3...5 { #expect(try client.graphql(Self.update) == Self.version(number)) } }

            let socket = try WebSocketClient(port: server.port).acknowledged()
            // amplify-swift tries to stop what it had.
            #expect(try socket.ask(WebSocketClient.stop(Self.id)) == WebSocketClient.completion(Self.id))
            #expect(try socket.start(Self.id, Self.subscription) == WebSocketClient.acknowledgement(Self.id))
            // As a device does, we pass over what we have.
            var versions: [Int64] = []
            while versions.last != 5 {
                let version = try event(socket).version
                if version > 2 { versions.append(version) }
            }
            #expect(versions == [3, 4, 5])
            #expect(try client.graphql(Self.update) == Self.version(6))
            #expect(try event(socket).version == 6)
        }
    }

    @Test("a change that was committed and not published when the process died comes with the next delta")
    func crash() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(Self.schema, to: "schema.graphql")
        try folder.write(#"{"limits": {"eventLoopCount": 2, "executionSeconds": 3600}}"#, to: "config/syncline.json")
        let arguments = ["serve", "--port", "0", "--tls", "off", "--datastore"]
        var server = try Running(arguments, in: folder)
        var client = try server.connect()
        _ = try client.graphql(#"mutation { createRoom(input: {id: "r"}) { id } }"#)
        // A hundred at a time, which share their commits.
        for start in stride(from: 0, to: 1_000, by: 100) {
            for id in start..<start + 100 {
                let create = #"mutation { createBooking(input: {id: "\#(id)", title: "t", roomID: "r"}) { id } }"#
                try client.send(
                    Client.request("POST", "/graphql", headers: Client.usualHeaders, body: Client.envelope(create)))
            }
            for _ in 0..<100 { #expect(try client.receive().body.hasPrefix(#"{"data":{"createBooking":{"#)) }
        }
        let begin = try sync(client)
        #expect(begin.items == #"[{"id":"r","_version":1}]"#)
        let socket = try WebSocketClient(port: server.port).acknowledged()
        #expect(try socket.start(Self.id, Self.subscription) == WebSocketClient.acknowledgement(Self.id))

        // The event is published when the mutation has its selection, which takes minutes: nothing here waits for it.
        let writer = try server.connect()
        try writer.send(
            Client.request(
                "POST", "/graphql", headers: Client.usualHeaders,
                body: Client.envelope(Self.slowUpdate, #"{"filter": \#(Self.slowFilter)}"#)))
        let stored = #"{ getRoom(id: "r") { _version } }"#
        try await eventually { try client.graphql(stored) == #"{"data":{"getRoom":{"_version":2}}}"# }
        #expect(try socket.ask(WebSocketClient.stop("none")) == WebSocketClient.completion("none"), "no event yet")
        server.crash()
        #expect(throws: Client.Closed.self) { try socket.receive() }

        server = try Running(arguments, in: folder)
        client = try server.connect()
        #expect(try sync(client, since: begin.startedAt).items == #"[{"id":"r","_version":2}]"#)
        let next = try WebSocketClient(port: server.port).acknowledged()
        #expect(try next.start(Self.id, Self.subscription) == WebSocketClient.acknowledgement(Self.id))
        #expect(try client.graphql(Self.update) == Self.version(3))
        #expect(try event(next).version == 3)
        // Else the server would wait for the answer to its close frame.
        try next.sendClose(1000)
        #expect(server.stop().code == 0)
    }

    /// An update that selects, of each of 90 bookings, the room, and 100 times all of its bookings that have one of 400
    /// titles, which none has.
    private static let slowUpdate = {
        let searches = (0..<100).map { "s\($0): bookings(filter: $filter) { items { id } }" }
        let selection = "bookings(limit: 90) { items { room { \(searches.joined(separator: " ")) } } }"
        let update = #"updateRoom(input: {id: "r", name: "n", _version: 1}) { id \#(selection) }"#
        return "mutation ($filter: ModelBookingFilterInput) { \(update) }"
    }()

    private static let slowFilter =
        #"{"or": [\#((0..<400).map { #"{"title": {"contains": "x\#($0)"}}"# }.joined(separator: ","))]}"#
}
