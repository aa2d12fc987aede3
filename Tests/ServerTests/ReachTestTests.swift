import Testing

@testable import Server

/// `syncline reach --test` against a server, and against what goes wrong before it.
@Suite("The test of reach")
struct ReachTestTests {
    private func with(
        _ change: @escaping (inout Configuration) -> Void = { _ in },
        _ body: (ReachTest, TestServer) async throws -> Void
    ) async throws {
        let home = try TemporaryFolder()
        defer { home.remove() }
        try await TestServer.with { configuration in
            (configuration.tls.setting, configuration.userFolder) = (.auto, home.path("home"))
            configuration.awsNameOptions.isOn = true
            configuration.region = "eu-west-1"
            change(&configuration)
        } _: { server in
            let report = try ReachReport(ServerDescription(server.configuration))
            try await body(try report.makeTest(at: "https://localhost:\(server.port)"), server)
        }
    }

    private func outcomes(_ test: ReachTest) async -> [ReachTest.Outcome] {
        var outcomes: [ReachTest.Outcome] = []
        let allPassed = await test.run { outcomes.append($0) }
        #expect(allPassed == outcomes.allSatisfy { $0.failure == nil })
        return outcomes
    }

    @Test("every service answers by its AWS hostname, and GraphQL by the server's own")
    func good() async throws {
        try await with { test, server in
            let outcomes = await outcomes(test)
            for outcome in outcomes { #expect(outcome.failure == nil, "\(outcome.text)") }
            let names = AWSNames(server.configuration).names
            #expect(outcomes.map(\.host) == ["localhost"] + names && names.contains("s3.eu-west-1.amazonaws.com"))
        }
    }

    @Test("each failure has a line of remedy")
    func failures() async throws {
        try await with { test, server in
            let probe = try #require(test.probes.first { $0.host == "cognito-idp.eu-west-1.amazonaws.com" })
            func outcome(_ change: (inout ReachProbe) -> Void, _ authority: String?, _ addresses: [String]) async throws
                -> ReachTest.Outcome
            {
                var probe = probe
                change(&probe)
                let test = ReachTest(
                    probes: [probe], awsAuthority: authority, authority: nil,
                    resolve: { _ in
                        guard !addresses.isEmpty else { throw IPAddress.ResolutionError(reason: "unknown") }
                        return addresses.compactMap { IPAddress($0) }
                    })
                return try #require(await outcomes(test).first)
            }
            let authority = test.awsAuthority
            let none = try await outcome({ _ in }, nil, [])
            #expect(none.remedy?.contains("--aws-names") == true, "\(none.text)")
            let unknown = try await outcome({ $0.endpoint = nil }, authority, [])
            #expect(
                unknown.failure?.contains("cannot be resolved") == true
                    && unknown.remedy?.contains("hosts line") == true)
            let closed = try await outcome(
                { $0.endpoint = ReachProbe.Endpoint(host: "127.0.0.1", port: 1) }, authority, [])
            #expect(closed.failure?.contains("nothing answers at 127.0.0.1:1") == true, "\(closed.text)")
            #expect(closed.remedy?.contains("--listen 127.0.0.1:1,tls") == true)
            // The local authority has issued the server's other certificate alone.
            let foreign = try await outcome(
                { $0.endpoint = ReachProbe.Endpoint(host: "127.0.0.1", port: server.port) },
                server.service.tls?.authorityFile, [])
            #expect(foreign.failure?.contains("certificate") == true, "\(foreign.text)")
        }
    }

    @Test("a name that the server does not have is no success")
    func otherName() async throws {
        try await with { test, server in
            var probe = ReachProbe(AWSHost(name: "dynamodb.eu-west-1.amazonaws.com", service: .cognitoUserPools))
            probe.endpoint = ReachProbe.Endpoint(host: "127.0.0.1", port: server.port)
            let outcome = await outcomes(
                ReachTest(probes: [probe], awsAuthority: test.awsAuthority, authority: nil)
            ).first
            #expect(outcome?.failure?.contains("certificate") == true, "\(outcome?.text ?? "")")
        }
    }

    @Test("a probe accepts the answer of its service, and not those of other servers")
    func answers() {
        let probe = ReachProbe(AWSHost(name: "cognito-idp.eu-west-1.amazonaws.com", service: .cognitoUserPools))
        func isAnswered(_ probe: ReachProbe, _ status: Int, _ body: String, _ header: String = "server") -> Bool {
            probe.isAnswered(by: status, body, headerNames: [header])
        }
        #expect(isAnswered(probe, 400, #"{"__type":"ResourceNotFoundException"}"#))
        #expect(!isAnswered(probe, 400, #"{"__type":"UnknownOperationException"}"#))
        #expect(!isAnswered(probe, 200, "<html>") && !isAnswered(probe, 421, "ResourceNotFoundException"))
        for service in [AWSHost.Service.appSync, .appSyncRealtime, .hostedPages(poolID: "p")] {
            let probe = ReachProbe(AWSHost(name: "a.example", service: service))
            let status = probe.statuses[0]
            #expect(isAnswered(probe, status, "", "x-amzn-requestid") && !isAnswered(probe, status, "hi"), "\(service)")
        }
    }
}
