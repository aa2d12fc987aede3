import Testing

@testable import HTTP

@Suite("The request parser under mutation")
struct FuzzTests {
    @Test("the parser never reads the same bytes in two ways, and accepts nothing that could end a line")
    func mutation() {
        let seed = UInt64.testSeed(in: 0 ... .max)
        print("HTTP fuzz seed: \(seed)")
        var random = FastRandom(seed: seed)
        let corpus = (Example.valid + Example.invalid).map { Array($0.text.utf8) }
        var limits = HTTPLimits()
        limits.requestHeadBytesMax = 512
        limits.bodyBytesMax = 64
        for round in 0..<6000 {
            let bytes = mutated(corpus, &random)
            let whole = events(of: [bytes], limits: limits)
            #expect(events(of: cut(bytes, &random), limits: limits) == whole, "seed \(seed), round \(round)")
            #expect(isHarmless(bytes, limits), "seed \(seed), round \(round)")
        }
    }

    /// One or two messages of the corpus, with a few bytes changed, dropped, doubled or swapped for telling ones.
    private func mutated(_ corpus: [[UInt8]], _ random: inout FastRandom) -> [UInt8] {
        var bytes = corpus.randomElement(using: &random) ?? []
        if Bool.random(using: &random) { bytes += corpus.randomElement(using: &random) ?? [] }
        let telling = Array("\r\n\0\t :;,=\"\\0159afAF?/*%\u{7F}".utf8) + [0x80, 0xFF, 0x0B]
        for _ in 0..<Int.random(in: 0...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[place] = telling.randomElement(using: &random) ?? 0
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(telling.randomElement(using: &random) ?? 0, at: place)
            case 3: bytes[place] = UInt8.random(in: 0...255, using: &random)
            default:
                let end = min(bytes.count, place + Int.random(in: 1...40, using: &random))
                bytes.insert(contentsOf: bytes[place..<end], at: place)
            }
        }
        return bytes
    }

    private func cut(_ bytes: [UInt8], _ random: inout FastRandom) -> [[UInt8]] {
        var parts: [[UInt8]] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...min(rest.count, 30), using: &random)
            parts.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return parts
    }

    /// Whatever was read as a request obeys the grammar, by a check that shares nothing with the parser.
    private func isHarmless(_ bytes: [UInt8], _ limits: HTTPLimits) -> Bool {
        var parser = RequestParser(limits: limits)
        unsafe bytes.withUnsafeBytes { unsafe parser.append($0) }
        while true {
            switch parser.nextCollecting() {
            case .needsBytes, .refusal: return true
            case .unexpected: return false
            case .expectsContinue: continue
            case .request(let request):
                let hosts = request.headers.count { $0.name == "host" }
                let lengths = request.headers.count { $0.name == "content-length" }
                let codings = request.headers.count { $0.name == "transfer-encoding" }
                guard hosts == 1 || (request.isHTTP10 && hosts == 0), lengths + codings <= 1 else { return false }
                guard request.bodyCount <= limits.bodyBytesMax else { return false }
                guard request.path.hasPrefix("/") || request.path == "*" else { return false }
                for (name, value) in request.headers {
                    guard !name.isEmpty, !name.contains(where: { " \t:\r\n\0".contains($0) }) else { return false }
                    guard !value.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" }) else { return false }
                }
                guard !request.path.unicodeScalars.contains(where: { $0.value <= 32 }) else { return false }
            }
        }
    }
}
