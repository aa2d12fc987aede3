import BigInt
import Encodings
import Foundation
import JSON
import Testing

@testable import UserPools

@Suite("SRP")
struct SRPTests {
    @Test("the multiplier is that of the specification")
    func multiplier() {
        #expect(
            String(SRPGroup.multiplier, radix: 16)
                == "538282c4354742d7cbbde2359fcf67f9f5b3a6b08791e5011b43b8a5b66d9ee6")
    }

    @Test("the vectors give the same numbers and signatures", arguments: try SRPVector.all())
    func vectors(_ vector: SRPVector) throws {
        let salt = [UInt8](BigUInt(vector.salt, radix: 16)!.serialize())
        let verifier = SRPVerifier(salt: salt, identity: vector.poolName + vector.user, password: vector.password)
        #expect(
            String(SRPGroup.number(verifier.verifier), radix: 16) == String(BigUInt(vector.v, radix: 16)!, radix: 16))
        let a = try #require(SRPGroup.publicValue(vector.clientPublic))
        let server = SRPServer(
            clientPublic: a, verifier: verifier, secret: try #require(Hexadecimal.bytes(of: vector.b)))
        #expect(server.serverPublic == BigUInt(vector.serverPublic, radix: 16))
        let block = try #require(Base64.decode(vector.secretBlock.utf8))
        let signature = server.signature(
            group: vector.poolName, user: vector.user, secretBlock: block, timestamp: vector.timestamp)
        #expect(Base64.encode(signature) == vector.signature)
        #expect(OperationCall.secretHash(of: vector.user, vector.clientID, vector.clientSecret) == vector.secretHash)
    }

    @Test("no public value that is zero, a multiple of the prime, no number or too long is taken")
    func publicValues() {
        let prime = String(SRPGroup.prime, radix: 16)
        let doubled = String(SRPGroup.prime * 2, radix: 16)
        for text in ["", "0", "00", prime, doubled, "g", "-1", "+1", String(repeating: "f", count: 771)] {
            #expect(SRPGroup.publicValue(text) == nil, "\(text.prefix(20))")
        }
        #expect(SRPGroup.publicValue("ABC") == SRPGroup.publicValue("abc"))
        #expect(SRPGroup.publicValue(String(repeating: "0", count: 2) + String(repeating: "1", count: 768)) != nil)
    }

    @Test("powers are those of one bit at a time")
    func powers() {
        var generator = SystemRandomNumberGenerator()
        let exponent = BigUInt.randomInteger(withMaximumWidth: 24, using: &generator)
        let base = BigUInt.randomInteger(lessThan: SRPGroup.prime, using: &generator)
        #expect(SRPPower.power(base, exponent) == base.power(exponent, modulus: SRPGroup.prime))
        #expect(SRPPower.ofGenerator(exponent) == SRPGroup.generator.power(exponent, modulus: SRPGroup.prime))
        #expect(SRPPower.power(base, 0) == 1)
        #expect(SRPPower.ofGenerator(0) == 1)
    }

    @Test(
        "only the one writing of a moment is taken",
        arguments: [
            ("Sat Nov 1 09:05:03 UTC 2025", true), ("Sat Nov 01 09:05:03 UTC 2025", false),
            ("Sun Nov 1 09:05:03 UTC 2025", false), ("sat Nov 1 09:05:03 UTC 2025", false),
            ("Sat Nov 1 9:05:03 UTC 2025", false), ("Sat Nov 1 09:05:03 GMT 2025", false),
            ("Sat Nov 1 09:05:03 UTC 2025 ", false), ("Sat Nov  1 09:05:03 UTC 2025", false),
            ("Sat Nov 1 09:00:02 UTC 2025", false), ("Sat Nov 1 09:10:04 UTC 2025", false),
            ("Sat Nov 1 09:10:03 UTC 2025", true), ("", false), ("Sat Nov 31 09:05:03 UTC 2025", false),
        ])
    func timestamps(_ text: String, _ isValid: Bool) {
        // 2025-11-01T09:05:03Z.
        #expect(SRPTimestamp.isValid(text, now: 1_761_987_903) == isValid, "\(text)")
    }

    @Test("any day is written as the calendar has it")
    func calendar() {
        for day in stride(from: Int64(0), to: 40_000, by: 13) {
            let text = SRPTimestamp.text(day * 86_400 + 3_661)
            #expect(SRPTimestamp.isValid(text, now: day * 86_400 + 3_661), "\(text)")
        }
        #expect(SRPTimestamp.text(0) == "Thu Jan 1 00:00:00 UTC 1970")
    }
}

struct SRPVector: Sendable, CustomTestStringConvertible {
    var poolName, clientID, clientSecret, user, password, salt, v, clientPublic, b, serverPublic: String
    var secretBlock, timestamp, signature, secretHash: String
    var testDescription: String { "salt \(salt)" }

    static func all() throws -> [SRPVector] {
        let url = try #require(
            Bundle.module.url(forResource: "auth-srp-vectors", withExtension: "json", subdirectory: "Fixtures"))
        let value = try JSONReader.read(Array(try Data(contentsOf: url)))
        let list = value["vectors"]?.arrayValue ?? []
        try #require(!list.isEmpty)
        return try list.map { vector in
            func text(_ name: String) throws -> String { try #require(vector[name]?.stringValue, "\(name)") }
            let pool = try text("pool")
            return SRPVector(
                poolName: String(pool.split(separator: "_", maxSplits: 1)[1]),
                clientID: try text("client"),
                clientSecret: try text("client_secret"),
                user: try text("user"),
                password: try text("password"), salt: try text("salt"), v: try text("v"),
                clientPublic: try text("A"), b: try text("b"),
                serverPublic: try text("B"),
                secretBlock: try text("secret_block"),
                timestamp: try text("ts"),
                signature: try text("signature"),
                secretHash: try text("secret_hash"))
        }
    }
}
