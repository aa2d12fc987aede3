import API
import JSON
import Synchronization
import Testing

@testable import Server

@Suite("Accepted tokens of others")
struct ExternalTokenCacheTests {
    private static func find(_ cache: ExternalTokenCache, _ text: String) -> Identity? {
        unsafe Array(text.utf8).withUnsafeBytes { unsafe cache.find($0) }
    }

    @Test("a token is found by all of its bytes until its end, and then removed")
    func end() {
        let time = Mutex<Int64>(0)
        let cache = ExternalTokenCache(countMax: 10) { time.withLock { $0 } }
        cache.keep(Array("token".utf8), .lambda, until: 100, bytes: 5)
        #expect(Self.find(cache, "token") == .lambda && Self.find(cache, "Token") == nil)
        time.withLock { $0 = 100 }
        #expect(Self.find(cache, "token") == nil && cache.count == 0 && cache.byteCount == 0)
        cache.keep(Array("late".utf8), .lambda, until: 100, bytes: 0)
        #expect(cache.count == 0)
    }

    @Test("a token that is kept again counts once, and tokens that have ended make room")
    func bytes() {
        let time = Mutex<Int64>(0)
        let cache = ExternalTokenCache(countMax: 100, bytesMax: 1_000) { time.withLock { $0 } }
        for _ in 0..<50 { cache.keep(Array("token".utf8), .lambda, until: 100, bytes: 95) }
        #expect(cache.count == 1 && cache.byteCount == 100)
        for number in 1..<10 { cache.keep(Array("ends\(number)".utf8), .lambda, until: 50, bytes: 95) }
        #expect(cache.count == 10 && cache.byteCount == 1_000)
        time.withLock { $0 = 60 }
        cache.keep(Array("after".utf8), .lambda, until: 100, bytes: 95)
        #expect(cache.count == 2 && cache.byteCount == 200)
        #expect(Self.find(cache, "token") != nil && Self.find(cache, "after") != nil)
        cache.keep(Array("large".utf8), .lambda, until: 100, bytes: 1_000)
        #expect(cache.count == 2)
    }

    @Test("count and bytes stay within their bounds")
    func bounds() {
        let cache = ExternalTokenCache(countMax: 4, bytesMax: 1_000) { 0 }
        for number in 0..<100 {
            cache.keep(Array("t\(number)".utf8), .lambda, until: 1, bytes: number * 5)
            #expect(cache.count <= 4 && cache.byteCount <= 1_000)
            #expect(Self.find(cache, "t\(number)") != nil)
        }
    }
}
