#if os(Linux)
import Foundation
import Testing

@Suite("A server without descriptors", .serialized)
struct DescriptorTests {
    @Test("answers 503, rests meanwhile, says so once in the log, and goes on when there are some again")
    func starved() async throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let server = try Running(["serve", "--port", "0", "--data", ":memory:"], in: folder, descriptorsMax: 100)
        defer { server.stop() }
        var clients: [Client] = []
        var refused: Client.Answer?
        while refused == nil, clients.count < 100 {
            let client = try server.connect()
            let answer = try client.ask("GET", "/health", headers: [:])
            if answer.status == 200 { clients.append(client) } else { refused = answer }
        }
        #expect(clients.count > 10)
        #expect(refused?.status == 503 && refused?["Retry-After"] == ["1"])
        #expect(refused?["x-amzn-ErrorType"] == ["ServiceUnavailableException"])
        let (start, spent) = (ContinuousClock.now, server.processorMilliseconds)
        for _ in 0..<20 { #expect(try server.connect().ask("GET", "/health", headers: [:]).status == 503) }
        let elapsed = start.duration(to: .now) / .milliseconds(1)
        #expect(Double(server.processorMilliseconds - spent) < max(elapsed / 2, 200), "of \(elapsed) ms")
        #expect(try clients[0].ask("GET", "/health", headers: [:]).status == 200)
        try await eventually { server.complaint.contains("No descriptor is left") }
        let lines = server.complaint.split(separator: "\n").filter { $0.contains("No descriptor is left") }
        #expect(lines.count == 1, "\(server.complaint)")
        clients = []
        try await eventually { (try? server.connect().ask("GET", "/health", headers: [:]).status) == 200 }
    }
}
#endif
