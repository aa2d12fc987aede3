import Foundation
import JSON
import Testing

@testable import UserPools

@Suite("Random sign-ins by SRP against an independent client")
struct RandomSRPTests {
    /// 200 in `make test`; `make srp` runs 10,000.
    static let count = ProcessInfo.processInfo.environment["SYNCLINE_SRP_COUNT"].flatMap(Int.init) ?? 200

    @Test("names and passwords of any script sign in, and a wrong password never does", arguments: 0..<2)
    func random(_ part: Int) async throws {
        let seed = UInt64.testSeed(in: 0...UInt64.max)
        print("seed \(seed)")
        var generator = SeededGenerator(seed: seed)
        // Big numbers take forty times as long in a debug build, and a short `b` a quarter of the longest step.
        let isShort = ProcessInfo.processInfo.environment["SYNCLINE_SRP_COUNT"] == nil
        let stage = try PoolStage(
            randomness: Randomness { count in
                let bytes = Randomness.system.bytes(count)
                return isShort && count == 32 ? Array(repeating: 0, count: 24) + bytes.suffix(8) : bytes
            })
        let (pool, client) = try await stage.makePool()
        let srp = try SRPClient()
        for index in 0..<Self.count / 2 {
            let name = "\(index)" + Self.text(&generator, spaces: false)
            let password = "aA1!" + Self.text(&generator, spaces: true) + "z"
            let made = try await stage.pools.makeUser(
                named: name, [], password: password, status: .confirmed,
                in: try #require(stage.pools.directory.pool(pool)))
            #expect(made != nil)
            let isWrong = index % 10 == 9
            let result = try await srp.signIn(
                stage, name, isWrong ? password + "x" : password, pool: pool, client: client)
            switch result {
            case .success(let output):
                #expect(!isWrong, "seed \(seed) index \(index)")
                #expect(output["AuthenticationResult"]?["AccessToken"]?.stringValue != nil)
            case .failure(let error):
                #expect(isWrong, "seed \(seed) index \(index): \(error)")
                #expect(error.description == "NotAuthorizedException: Incorrect username or password.")
            }
        }
    }

    private static func text(_ generator: inout SeededGenerator, spaces: Bool) -> String {
        // Only passwords have characters that join others.
        let letters = Array("abcXYZ019éßñøЖя中文字日本한글אבعر😀-_.+*" + (spaces ? "🏳️‍🌈" : ""))
        let count = Int.random(in: 1...20, using: &generator)
        var text = String((0..<count).map { _ in letters.randomElement(using: &generator) ?? "a" })
        if spaces { text += " b" }
        return text
    }
}

/// A generator that repeats what it gave.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
