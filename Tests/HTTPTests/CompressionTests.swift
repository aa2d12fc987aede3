import Testing

@testable import HTTP

@Suite("Compression")
struct CompressionTests {
    @Test("reads what Accept-Encoding says of gzip")
    func acceptEncoding() {
        let table: [(lines: [String], isGzip: Bool)] = [
            ([], false),
            (["gzip"], true),
            (["GZip, deflate, br"], true),
            (["deflate, br"], false),
            (["x-gzip"], true),
            (["gzip;q=0"], false),
            (["gzip;q=0.000"], false),
            (["gzip;q=0.001"], true),
            (["gzip ; q=0.5 , identity;q=0.4"], true),
            (["gzip;q=0.5, identity"], false),
            (["*"], true),
            (["*;q=0"], false),
            (["*, gzip;q=0"], false),
            (["gzip;q=1.5"], false),
            (["gzip;q=x"], false),
            (["gzip;q=0.1234"], false),
            (["br", "gzip"], true),
            (["", ","], false),
        ]
        for (lines, isGzip) in table {
            let fields = lines.map { "Accept-Encoding: \($0)\r\n" }.joined()
            let request = firstRequest(in: "GET / HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
            #expect(request?.traits.contains(.acceptsGzip) == isGzip, "\(lines)")
        }
    }

    @Test("what is packed comes back the same", arguments: [1000, 4096, 100_000, 1_048_576])
    func roundTrip(count: Int) throws {
        let deflater = Deflater()
        for period in [1, 7, 200] {
            let bytes = (0..<count).map { UInt8($0 % period) }
            let packed = try #require(bytes.gzipped(by: deflater))
            #expect(packed.count < count)
            #expect(try inflated(packed[...], .gzip, bytesMax: count) == bytes)
        }
    }

    @Test("noise, which would only grow, is left as it is")
    func noise() {
        var random = FastRandom(seed: 1)
        let bytes = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
        #expect(bytes.gzipped() == nil)
    }

    @Test("a bomb is stopped at the bound of the body")
    func bomb() throws {
        let bytes = [UInt8](repeating: 0, count: 10_000_000)
        let packed = try #require(bytes.gzipped())
        #expect(packed.count < 100_000)
        #expect(throws: Refusal.bodyTooLarge) { try inflated(packed[...], .gzip, bytesMax: 1_000_000) }
        #expect(throws: Refusal.bodyTooLarge) { try inflated(packed[...], .gzip, bytesMax: 9_999_999) }
        #expect(try inflated(packed[...], .gzip, bytesMax: 10_000_000).count == 10_000_000)
    }

    @Test("what is cut short, damaged or followed by something else is refused")
    func damaged() throws {
        let bytes = (0..<3000).map { UInt8($0 % 50) }
        let packed = try #require(bytes.gzipped())
        func status(_ bytes: [UInt8], _ coding: ContentCoding = .gzip) -> Int? {
            do throws(Refusal) {
                _ = try inflated(bytes[...], coding, bytesMax: 100_000)
                return nil
            } catch {
                return error.status
            }
        }
        #expect(status(packed) == nil)
        for count in [0, 1, 9, 10, 30, packed.count - 1] { #expect(status(Array(packed.prefix(count))) == 400) }
        #expect(status(packed + [0]) == 400)
        #expect(status(packed + packed) == 400)
        #expect(status(packed, .deflate) == 400)
        var damaged = packed
        damaged[damaged.count - 6] ^= 0xFF
        #expect(status(damaged) == 400)
    }

    @Test("a request body in the zlib format is what HTTP calls deflate")
    func deflate() {
        // RFC 1950 and 1951: header, one stored block with its length and the complement, Adler-32 of "abc".
        let packed: [UInt8] = [0x78, 0x01, 1, 3, 0, 0xFC, 0xFF] + Array("abc".utf8) + [0x02, 0x4D, 0x01, 0x27]
        let head = "POST / HTTP/1.1\r\nHost: h\r\nContent-Encoding: deflate\r\nContent-Length: \(packed.count)\r\n\r\n"
        #expect(events(of: [Array(head.utf8) + packed]).first?.hasSuffix("body=abc") == true)
    }
}

extension [UInt8] {
    func gzipped(by deflater: Deflater = Deflater()) -> [UInt8]? {
        unsafe withUnsafeBytes { unsafe deflater.gzip($0) }
    }
}
