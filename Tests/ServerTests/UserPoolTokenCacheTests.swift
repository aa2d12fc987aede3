import API
import JSON
import Tables
import Testing

@testable import Server
@testable import UserPools

@Suite("Tokens that were seen")
struct UserPoolTokenCacheTests {
    private static let clock = WallClock { 1_000_000 }

    private static func seen(
        _ text: String, sub: String = "s", session: String = "o", pool: String = "p", client: String = "c",
        exp: Int = 1_001, mode: UInt64 = 1
    ) throws -> CachedUserPoolToken {
        let claims: JSONObject = [
            "sub": .string(sub), "origin_jti": .string(session), "username": "jane", "exp": .number(String(exp)),
            "client_id": .string(client),
        ]
        let token = try #require(TokenIdentity(claims, poolID: pool))
        return CachedUserPoolToken(
            Array(text.utf8), token, .userPools(IdentityToken(claims: claims), claims: []), by: mode)
    }

    private static func finds(_ tokens: UserPoolTokenCache, _ text: String, mode: UInt64? = 1) -> Bool {
        unsafe Array(text.utf8).withUnsafeBytes { unsafe tokens.find($0, by: mode) != nil }
    }

    @Test("a token is found by all of its bytes, by its mode, and until it expires")
    func found() throws {
        let tokens = UserPoolTokenCache(countMax: 10, clock: Self.clock)
        #expect(tokens.keep(try Self.seen("header.claims.signature"), since: tokens.forgetCount))
        #expect(tokens.keep(try Self.seen("expired.claims.another-one-here", exp: 999), since: tokens.forgetCount))
        #expect(Self.finds(tokens, "header.claims.signature"))
        #expect(Self.finds(tokens, "header.claims.signature", mode: nil))
        #expect(!Self.finds(tokens, "header.claims.signature", mode: 2))
        #expect(!Self.finds(tokens, "Header.claims.signature"))
        #expect(!Self.finds(tokens, "x.header.claims.signature"))
        #expect(!Self.finds(tokens, "ignature"))
        #expect(!Self.finds(tokens, ""))
        #expect(!Self.finds(tokens, "expired.claims.another-one-here"))
    }

    @Test("a token that is verified while sessions of others end is kept, and one whose own session ends is not")
    func meanwhile() throws {
        let tokens = UserPoolTokenCache(countMax: 10, clock: Self.clock)
        for concerned in [UserPoolServices.Ended.session("o"), .user("s"), .client("c"), .pool("p")] {
            let before = tokens.forgetCount
            for number in 0..<1_000 { tokens.forget(number % 2 == 0 ? .session("\(number)") : .user("\(number)")) }
            #expect(tokens.keep(try Self.seen("a.a.aaaaaaaa"), since: before))
            tokens.forget(concerned)
            for number in 0..<1_000 { tokens.forget(.session("\(number)")) }
            #expect(!tokens.keep(try Self.seen("a.a.aaaaaaaa"), since: before))
            #expect(tokens.keep(try Self.seen("a.a.aaaaaaaa"), since: tokens.forgetCount))
        }
        // Whether it was among so many ends is not known.
        let before = tokens.forgetCount
        for number in 0...UserPoolTokenCache.recentMax { tokens.forget(.session("\(number)")) }
        #expect(!tokens.keep(try Self.seen("a.a.aaaaaaaa"), since: before))
        #expect(tokens.keep(try Self.seen("a.a.aaaaaaaa"), since: before + 1))
    }

    @Test("an end forgets what it concerns, and what was verified before it is not kept")
    func forgotten() throws {
        let tokens = UserPoolTokenCache(countMax: 10, clock: Self.clock)
        func keepAll() throws {
            _ = tokens.keep(try Self.seen("a.a.aaaaaaaa", session: "1"), since: tokens.forgetCount)
            _ = tokens.keep(try Self.seen("b.b.bbbbbbbb", sub: "2"), since: tokens.forgetCount)
            _ = tokens.keep(try Self.seen("c.c.cccccccc", pool: "3"), since: tokens.forgetCount)
            _ = tokens.keep(try Self.seen("d.d.dddddddd", client: "4"), since: tokens.forgetCount)
        }
        for (ended, gone) in [
            (UserPoolServices.Ended.session("1"), "a.a.aaaaaaaa"), (.user("2"), "b.b.bbbbbbbb"),
            (.pool("3"), "c.c.cccccccc"), (.client("4"), "d.d.dddddddd"),
        ] {
            try keepAll()
            let before = tokens.forgetCount
            tokens.forget(ended)
            for text in ["a.a.aaaaaaaa", "b.b.bbbbbbbb", "c.c.cccccccc", "d.d.dddddddd"] {
                #expect(Self.finds(tokens, text) == (text != gone))
            }
            let late = try Self.seen("late.late.latelate", sub: "2", session: "1", pool: "3", client: "4")
            #expect(!tokens.keep(late, since: before))
        }
        #expect(!Self.finds(tokens, "late.late.latelate"))
    }

    @Test(
        "an end forgets every token of a session, a user, a client or a pool, also one that was kept again, and no other"
    )
    func forgottenTogether() throws {
        func name(_ number: Int) -> String { "x.x.signature-\(1_000 + number)" }
        // Token n is of the session n / 2, the user n / 4, the client n / 8 and the pool n / 16.
        for (ended, gone) in [
            (UserPoolServices.Ended.session("3"), 6..<8), (.user("3"), 12..<16), (.client("2"), 16..<24),
            (.pool("1"), 16..<32), (.session("none"), 0..<0),
        ] {
            let tokens = UserPoolTokenCache(countMax: 100, clock: Self.clock)
            func keep(_ number: Int, pool: Int) throws {
                let cached = try Self.seen(
                    name(number), sub: "\(number / 4)", session: "\(number / 2)", pool: "\(pool)",
                    client: "\(number / 8)")
                #expect(tokens.keep(cached, since: tokens.forgetCount))
            }
            for number in 0..<32 { try keep(number, pool: 1 - number / 16) }
            for number in 0..<32 { try keep(number, pool: number / 16) }
            tokens.forget(ended)
            for number in 0..<32 { #expect(Self.finds(tokens, name(number)) != gone.contains(number), "\(ended)") }
        }
    }

    @Test("the tokens that are kept are bounded")
    func bounded() throws {
        let tokens = UserPoolTokenCache(countMax: 4, clock: Self.clock)
        for number in 0..<100 {
            #expect(tokens.keep(try Self.seen("x.x.signature\(number)"), since: tokens.forgetCount))
            #expect(Self.finds(tokens, "x.x.signature\(number)"))
        }
        #expect((0..<100).count { Self.finds(tokens, "x.x.signature\($0)") } <= 4)
    }
}
