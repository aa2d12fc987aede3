import Encodings
import JSON
import Synchronization
import Testing

@testable import UserPools

@Suite("Keys of pools")
struct SigningKeyTests {
    /// A token of a pool that nobody has signed.
    private static func forged(_ pool: String) -> String {
        func part(_ object: JSONObject) -> String { Base64.encodeURL(Array(JSONValue.object(object).description.utf8)) }
        let claims: JSONObject = [
            "iss": .string("\(TestBrowser.base)/\(pool)"), "sub": "s", "origin_jti": "o", "username": "jane",
            "exp": 4_000_000_000, "token_use": "access", "client_id": "c",
        ]
        return "\(part(["alg": "RS256", "kid": "x"])).\(part(claims)).AAAA"
    }

    @Test("no keys are made for tokens that nobody has signed, nor for key sets of pools that calls have made")
    func made() async throws {
        let files = MemoryKeys()
        let stage = try PoolStage(keyStorage: files.storage)
        let (pool, _) = try await stage.makePool()
        #expect(files.count(SigningKeys.fileName(pool)) == 1)
        let (earlier, kept) = ("us-east-1_earlier", "us-east-1_kept")
        var configuration = UserPoolConfiguration(servedURL: TestBrowser.base)
        configuration.pools = [UserPool(kept, SettingsReader(["name": "x"]), isConfiguration: true)]
        try await stage.pools.serve(configuration)
        // Earlier versions made no keys with a pool.
        stage.pools.directory.set(UserPool(earlier, SettingsReader([:]), isConfiguration: false))
        for id in [pool, earlier, kept] {
            await #expect(throws: TokenRefusal.signature) {
                _ = try await stage.pools.authenticate(Self.forged(id))
            }
        }
        #expect(await stage.pools.jsonWebKeySet(of: earlier) == ["keys": []])
        #expect([pool, earlier, kept].map { files.count(SigningKeys.fileName($0)) } == [1, 0, 0])

        // The keys of a configured pool are made once for all who ask at one time.
        let sets = await withTaskGroup(of: [UInt8]?.self) { tasks in
            for _ in 0..<8 { tasks.addTask { await stage.pools.jsonWebKeySetBytes(of: kept) } }
            return await tasks.reduce(into: Set<[UInt8]?>()) { $0.insert($1) }
        }
        #expect(sets.count == 1 && !sets.contains(nil) && !sets.contains(Array(#"{"keys":[]}"#.utf8)))
        let kids = await withTaskGroup(of: String?.self) { tasks in
            for _ in 0..<8 { tasks.addTask { try? await stage.pools.keys.current(.access, of: earlier).kid } }
            return await tasks.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(kids.count == 1 && !kids.contains(nil))
        #expect([pool, earlier, kept].map { files.count(SigningKeys.fileName($0)) } == [1, 1, 1])
    }

    @Test("keys that are replaced at one time are replaced one after the other")
    func rotations() async throws {
        let files = MemoryKeys()
        let keys = SigningKeys(files.storage, .system)
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<3 {
                tasks.addTask { try? await keys.rotate(poolID: "us-east-1_x", until: 9, now: 1) }
            }
        }
        let all = try await keys.keys(of: "us-east-1_x")
        #expect(
            all.count == 8 && all.count { $0.retired == nil } == 2
                && files.count(SigningKeys.fileName("us-east-1_x")) == 4)
    }
}
