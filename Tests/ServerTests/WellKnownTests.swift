import Testing

@testable import Server
@testable import UserPools

extension UserPoolTests {
    @Suite("Open paths of user pools under load")
    struct WellKnown {
        @Test("a network whose share is under way gets no more of open paths, but key sets that are ready")
        func shares() async throws {
            try await AcceptedTokens.Stage.with({ $0.limits.userPools.operationsMax = 8 }) { stage in
                let path = "/us-east-1_One/.well-known/jwks.json"
                let (gate, opening) = AsyncStream<Void>.makeStream()
                let begun = (0..<8).count { _ in
                    stage.service.run(for: "127.0.0.1") { _ in for await _ in gate { break } }
                }
                #expect(begun == 4)
                var status: [Int] = []
                func ask(_ method: String, _ path: String, _ body: String = "") throws {
                    let headers = ["Host": "localhost", "content-type": "application/x-www-form-urlencoded"]
                    status.append(try stage.client.ask(method, path, headers: headers, body: body).status)
                }
                try ask("GET", path)
                try ask("POST", "/", "Action=GetCallerIdentity&Version=2011-06-15")
                #expect(await stage.service.pools.jsonWebKeySetBytes(of: "us-east-1_One") != nil)
                try ask("GET", path)
                #expect(status == [503, 400, 200])
                opening.finish()
            }
        }
    }
}
