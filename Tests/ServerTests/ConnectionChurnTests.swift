import Testing

/// WebSockets that come and go in great numbers, at a server whose process is looked at from outside.
@Suite("WebSockets that come and go", .serialized)
struct ConnectionChurnTests {
    @Test("200 rounds of connecting, subscribing and disconnecting leave nothing behind")
    func rounds() async throws {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        print("Rounds: seed \(seed).")
        var random = SeededGenerator(seed: seed)
        let stage = try RealtimeStage()
        // The first ones fill what is kept for ever: pools, caches, arenas.
        for _ in 0..<60 { try round(stage, &random) }
        try await stage.awaitCalm()
        #if os(Linux)
        let descriptorCount = stage.server.descriptorCount
        let anonymousKiB = stage.server.anonymousKiB
        #endif
        for _ in 0..<140 { try round(stage, &random) }
        try await stage.awaitCalm()
        try stage.checkBystanders()
        #if os(Linux)
        try await eventually { stage.server.descriptorCount <= descriptorCount }
        // A generous bound: five KiB that stay of each of the 840 sockets would show, a small object would not.
        let growthKiB = stage.server.anonymousKiB - anonymousKiB
        print("Rounds: the server has grown by \(growthKiB) KiB.")
        #expect(growthKiB < 4 << 10 || isSanitized, "seed \(seed)")
        #endif
        #expect(stage.server.stop().code == 0)
    }

    /// Six sockets at one time, each for a part of a session.
    private func round(_ stage: RealtimeStage, _ random: inout SeededGenerator) throws {
        let sessions = try (0..<6).map { _ in
            let isWhole = Bool.random(using: &random)
            let byteCount =
                isWhole ? RealtimeScript.bytes.count : .random(in: 0...RealtimeScript.bytes.count, using: &random)
            return try CutSession(port: stage.server.port, byteCount: byteCount)
        }
        try stage.mutate()
        for session in sessions {
            if Bool.random(using: &random) { try session.readAnswers() }
            try session.end(by: CutSession.Ending.allCases.randomElement(using: &random) ?? .close)
        }
    }

    @Test("a session that is cut after any of its bytes frees what it held, and others lose nothing")
    func cutInput() async throws {
        let stage = try RealtimeStage()
        for endings in [[CutSession.Ending.close, .halfClose], [.reset, .closeFrame]] {
            for byteCount in 0...RealtimeScript.bytes.count {
                let session = try CutSession(port: stage.server.port, byteCount: byteCount)
                if byteCount % 32 == 0 { try stage.mutate() }
                // What is cut is half of the time what the server is about to read, else what it has answered.
                if byteCount / 2 % 2 == 0 { try session.readAnswers() }
                try session.end(by: endings[byteCount % 2])
            }
            try await stage.awaitCalm()
            try stage.checkBystanders()
        }
        #expect(stage.server.stop().code == 0)
    }

    @Test("a session that is cut while the server sends frees what it held, and others lose nothing")
    func cutOutput() async throws {
        let stage = try RealtimeStage()
        let name = String(repeating: "x", count: 50_000)
        // From within the first frame's header to behind the second frame.
        let counts = [0, 1, 2, 3, 4, 5, 60, 16_384, 50_000, 50_100, 100_200]
        for isReset in [false, true] {
            let clients = try counts.map { _ in
                let client = try Client(port: stage.server.port, receiveBufferBytes: 64 << 10)
                try client.send(WebSocketClient.handshake())
                let socket = try WebSocketClient(answering: client).acknowledged()
                for id in 0..<40 {
                    let query = "subscription { onCreateTodo { name } }"
                    #expect(try socket.start("\(id)", query) == WebSocketClient.acknowledgement("\(id)"))
                }
                return client
            }
            // Two megabytes for each: more than may wait, so that some are being closed when they are cut.
            try stage.mutate(name: name)
            for (client, count) in zip(clients, counts) {
                _ = try client.receive(byteCount: count)
                if isReset { client.resetOnClose() }
            }
        }
        try await stage.awaitCalm()
        try stage.checkBystanders()
        #expect(stage.server.stop().code == 0)
    }
}
