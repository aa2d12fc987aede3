import AWSSignature
import Testing

@testable import Buckets

@Suite("aws-chunked bodies")
struct ChunkedDecoderTests {
    private static let crc = "x-amz-checksum-crc32"

    /// Decodes a body in parts of so many bytes.
    private func decode(
        _ bytes: [UInt8], partBytes: Int, _ signature: ChunkSignature? = nil, trailers: Set<String>? = [crc],
        byteCount: Int = 11
    ) throws(S3Error) -> (text: String, trailers: [String]) {
        var decoder = ChunkedDecoder(signature, trailerNames: trailers, byteCount: byteCount)
        var data: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: partBytes) {
            data += try decoder.decode(Array(bytes[start..<min(bytes.count, start + partBytes)]))
        }
        try decoder.end()
        return (String(decoding: data, as: UTF8.self), decoder.trailers.map { "\($0.name)=\($0.value)" })
    }

    private func signature() throws -> ChunkSignature {
        let date = try #require(SigningDate(basic: "20260102T030405Z"))
        let scope = CredentialScope(day: "20260102", region: "us-east-1", service: "s3")
        return ChunkSignature(
            key: SigningKey(secret: "secretEXAMPLE+/key", scope: scope), date: date,
            seed: "88ae4d14660b8e569d2ce659f85125a4c91f5b4412f868f321b8b750ae2c61ba")
    }

    private static let signed =
        "b;chunk-signature=74e4f45804ed450dae1e455a50d467fbf61f0b83a89a9f72bb91cd32bb42b759\r\nhello world\r\n"
        + "0;chunk-signature=3847581806ddc53b29dc0e49f812156e81d7e77f6299a2823c712b5833955f11\r\n"
    private static let signedTrailer =
        "x-amz-checksum-crc32:DUoRhQ==\r\n"
        + "x-amz-trailer-signature:f0fac2c9dec9f7e8c929edec5f0ec8a79e3db51ebedc277f4b84b870bfdc8e00\r\n\r\n"

    @Test("chunks without signatures and a trailer are decoded, however they arrive")
    func unsigned() throws {
        let body = Array("6\r\nhello \r\n5\r\nworld\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n".utf8)
        for size in 1...body.count {
            let decoded = try decode(body, partBytes: size)
            #expect(decoded.text == "hello world" && decoded.trailers == ["x-amz-checksum-crc32=DUoRhQ=="])
        }
    }

    @Test(
        "the ways in which clients end a trailer are understood",
        arguments: [
            "x-amz-checksum-crc32:DUoRhQ==\n\r\n", "X-Amz-Checksum-CRC32: DUoRhQ==\r\n\r\n",
            "x-amz-checksum-crc32:DUoRhQ==\r\n", "x-amz-checksum-crc32:DUoRhQ==",
        ])
    func trailerEnds(trailer: String) throws {
        let body = Array("b\r\nhello world\r\n0\r\n\(trailer)".utf8)
        for size in [1, 5, body.count] {
            #expect(try decode(body, partBytes: size).trailers == ["x-amz-checksum-crc32=DUoRhQ=="])
        }
    }

    @Test("signed chunks and a signed trailer are verified")
    func signed() throws {
        for trailer in [Self.signedTrailer, Self.signedTrailer.replacing("DUoRhQ==\r\n", with: "DUoRhQ==\n\r\n")] {
            let body = Array((Self.signed + trailer).utf8)
            for size in [1, 2, 50, body.count] {
                #expect(try decode(body, partBytes: size, signature()).text == "hello world")
            }
        }
        let plain = Array((Self.signed + "\r\n").utf8)
        #expect(try decode(plain, partBytes: 10, signature(), trailers: nil).text == "hello world")
    }

    @Test("a changed byte of a signed body is found")
    func tampered() throws {
        let body = Array((Self.signed + Self.signedTrailer).utf8)
        for index in body.indices {
            var changed = body
            changed[index] ^= 1
            // The letters of a name in the trailer are compared without their case alone.
            #expect(throws: S3Error.self) { try decode(changed, partBytes: 1_000, signature()) }
        }
    }

    @Test(
        "bodies that are cut off, too long or malformed are refused",
        arguments: [
            "", "b\r\n", "b\r\nhello", "b\r\nhello world", "b\r\nhello world\r\n", "b\r\nhello world\r\n0",
            "c\r\nhello world!\r\n0\r\n\r\n", "a\r\nhello worl\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n",
            "b\nhello world\r\n0\r\n\r\n", "b\r\nhello worldX0\r\n\r\n", "-1\r\n", "+b\r\nhello world\r\n0\r\n\r\n",
            " b\r\n", "g\r\n", "fffffffffffffffff\r\n", "7fffffffffff\r\n", "b;x=y\r\nhello world\r\n0\r\n\r\n",
            "b\r\nhello world\r\n0\r\n\r\n", "b\r\nhello world\r\n0\r\nother:x\r\n\r\n",
            "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:a\r\nx-amz-checksum-crc32:b\r\n\r\n",
            "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\nmore", "b\r\nhello world\r\n0\r\n:x\r\n\r\n",
        ])
    func refused(body: String) {
        #expect(throws: S3Error.self) { try decode(Array(body.utf8), partBytes: 3) }
    }

    @Test("lines without an end are bounded")
    func bounds() {
        for start in ["", "b\r\nhello world\r\n0\r\n"] {
            let body = Array(start.utf8) + [UInt8](repeating: 0x30, count: 5_000)
            #expect(throws: S3Error.self) { try decode(body, partBytes: 100) }
        }
    }

    @Test("a body that was changed at random is decoded alike in one part and in many, or refused")
    func random() {
        let seed = UInt64.testSeed(in: 1...1_000_000)
        var generator = SeededGenerator(seed: seed)
        let valid = Array("6\r\nhello \r\n5\r\nworld\r\n0\r\nx-amz-checksum-crc32:DUoRhQ==\r\n\r\n".utf8)
        for _ in 0..<3_000 {
            var bytes = valid
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes.insert(Array("\r\n0;:a".utf8).randomElement(using: &generator) ?? 0, at: index)
                default: bytes[index] = .random(in: 0...255, using: &generator)
                }
            }
            let whole = try? decode(bytes, partBytes: bytes.count)
            let parts = try? decode(bytes, partBytes: Int.random(in: 1...7, using: &generator))
            #expect(whole?.text == parts?.text && whole?.trailers == parts?.trailers, "seed \(seed)")
            if let whole { #expect(whole.text.utf8.count >= 11) }
        }
    }

    @Test("an object is stored from a chunked body, its trailer verified")
    func stored() async throws {
        let stage = try await BucketStage()
        let headers = [
            ("x-amz-decoded-content-length", "11"), ("x-amz-trailer", Self.crc), ("Content-Encoding", "aws-chunked"),
        ]
        let payload = try S3Payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER", signature: nil)
        func put(_ checksum: String) async -> BucketStage.Answer {
            let body = "b\r\nhello world\r\n0\r\nx-amz-checksum-crc32:\(checksum)\r\n\r\n"
            return await stage.call("PUT", "/media/k", headers, body: Array(body.utf8), payload: payload)
        }
        #expect(await put("AAAAAA==").element("Code") == "BadDigest")
        #expect(await put("nothing").element("Code") == "InvalidRequest")
        let stored = await put("DUoRhQ==")
        #expect(stored.status == 200 && stored.headers[Self.crc] == "DUoRhQ==")
        let read = await stage.call("GET", "/media/k")
        #expect(read.text == "hello world" && read.headers["content-encoding"] == nil)
        let two = [("x-amz-decoded-content-length", "0"), ("x-amz-trailer", Self.crc + ", x-amz-checksum-sha256")]
        let trailers = "0\r\nx-amz-checksum-crc32:AAAAAA==\r\nx-amz-checksum-sha256:AAAA\r\n\r\n"
        let refused = await stage.call("PUT", "/media/k", two, body: Array(trailers.utf8), payload: payload)
        #expect(refused.status == 400 && refused.element("Code") == "InvalidRequest")
        let missing = await stage.call("PUT", "/media/k", payload: payload)
        #expect(missing.element("Code") == "MissingContentLength")
    }

    @Test("the words of x-amz-content-sha256 are read, and others refused")
    func words() throws {
        let hash = String(repeating: "A", count: 64)
        guard case .hash(let text) = try S3Payload(hash, signature: nil) else {
            Issue.record("a hash is a hash")
            return
        }
        #expect(text == hash.lowercased())
        for word in ["STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD", "nonsense", ""] {
            #expect(throws: S3Error.self) { try S3Payload(word, signature: nil) }
        }
        #expect(throws: S3Error.self) { try S3Payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", signature: nil) }
    }
}
