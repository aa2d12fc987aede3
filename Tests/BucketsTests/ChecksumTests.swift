import Encodings
import Testing

@testable import Buckets

@Suite("Checksums")
struct ChecksumTests {
    @Test(
        "each algorithm gives its published check value",
        arguments: [
            (.crc32, "cbf43926"), (.crc32c, "e3069283"), (.crc64nvme, "ae8b14860a799888"),
            (.sha1, "f7c3bc1d808e04732adf679965ccc34ca7ae3441"),
            (.sha256, "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"),
        ] as [(ChecksumAlgorithm, String)])
    func checkValues(algorithm: ChecksumAlgorithm, expected: String) {
        var digest = ChecksumDigest(algorithm)
        digest.update(Array("123456789".utf8))
        #expect(Hexadecimal.text(of: digest.value) == expected)
    }

    @Test("a checksum does not depend on how the bytes are divided", arguments: ChecksumAlgorithm.allCases)
    func divided(algorithm: ChecksumAlgorithm) {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 * 7) }
        var whole = ChecksumDigest(algorithm)
        whole.update(bytes)
        for size in [1, 3, 7, 8, 9, 64, 999] {
            var digest = ChecksumDigest(algorithm)
            for start in stride(from: 0, to: bytes.count, by: size) {
                digest.update(Array(bytes[start..<min(bytes.count, start + size)]))
                digest.update([])
            }
            #expect(digest.value == whole.value)
        }
    }

    @Test("a composite checksum is that of the parts' checksums, with their number")
    func composite() throws {
        let parts = ["aaaaa", "b"].map { text -> ObjectChecksum in
            var digest = ChecksumDigest(.crc32)
            digest.update(Array(text.utf8))
            return ObjectChecksum(.crc32, digest.value)
        }
        #expect(ObjectChecksum(compositeOf: parts, .crc32).text == "9JLu0A==-2")
        var whole = ChecksumDigest(.crc32)
        whole.update(Array("aaaaab".utf8))
        #expect(ObjectChecksum(.crc32, whole.value).text == "w+1IQg==")
    }

    @Test("a value that is not base64 of so many bytes is none")
    func malformed() {
        #expect(ObjectChecksum(.crc32, text: "DUoRhQ==") != nil)
        for text in ["", "DUoRhQ", "DUoRhQ=", "DUoRhR==", "AAAA", "not base64!", "DUoRhQ==-2"] {
            #expect(ObjectChecksum(.crc32, text: text) == nil, "\(text)")
        }
    }
}
