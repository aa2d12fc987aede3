import Testing
import Transformer

@testable import Server

@Suite("The collection of tombstones")
struct TombstoneTests {
    @Test("it is answered when the server's loops run nothing any more")
    func afterTheEnd() async throws {
        let change = { (configuration: inout Configuration) in configuration.transform.conflictDetection = .version }
        try await TestServer.with(change) { server in
            await server.service.backend.collectTombstones()
            await server.service.stop()
            await server.service.backend.collectTombstones()
        }
    }
}
