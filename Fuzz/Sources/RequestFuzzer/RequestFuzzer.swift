import Fuzzing

@main enum RequestFuzzer {
    static func main() { fuzz(check) }
}

/// Bytes of a connection: however they are cut into reads, the parser tells the same events, and what it lets through
/// as a request obeys the grammar and the limits.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let whole = events(of: bytes, cuts: [])
    for cuts in cuts(of: bytes) {
        let parts = events(of: bytes, cuts: cuts)
        require(parts == whole, "cut at \(cuts):\n\(parts)\nwhole:\n\(whole)")
    }
}

/// Small, so that short inputs reach them.
private let limits = {
    var limits = HTTPLimits()
    limits.requestHeadBytesMax = 512
    limits.headerCountMax = 12
    limits.targetBytesMax = 128
    limits.bodyBytesMax = 256
    limits.chunkCountMax = 8
    limits.chunkLineBytesMax = 32
    limits.trailerBytesMax = 64
    return limits
}()

/// Byte by byte; in pieces of three and of seventeen; at every one place of a short input, else at a few places that
/// the input itself picks, alone and in pairs.
private func cuts(of bytes: UnsafeRawBufferPointer) -> [[Int]] {
    let count = bytes.count
    guard count > 1 else { return [] }
    var result = [1, 3, 17].map { Array(stride(from: $0, to: count, by: $0)) }
    if count <= 48 { return result + (1..<count).map { [$0] } }
    // FNV-1a, so that a finding is found again.
    var hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    let places = (0..<6).map { _ in
        hash = hash &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return 1 + Int(hash >> 33) % (count - 1)
    }
    for place in places { result.append([place]) }
    for pair in zip(places, places.dropFirst()) where pair.0 != pair.1 {
        result.append([min(pair.0, pair.1), max(pair.0, pair.1)])
    }
    return result
}

/// What the parser told, as values to compare.
private enum Told: Equatable {
    case expectsContinue
    case request(
        method: Method, isHTTP10: Bool, traits: UInt8, path: String, query: String?, headers: [String], body: [UInt8])
    /// A body that a route streams, its parts joined: how they are cut is the reads'.
    case streamed([UInt8])
    case refusal(Refusal)
}

private func events(of bytes: UnsafeRawBufferPointer, cuts: [Int]) -> [Told] {
    var parser = RequestParser(limits: limits)
    var told: [Told] = []
    var streamed: [UInt8] = []
    for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
        parser.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        reading: while true {
            var event = parser.next()
            // PUT as a route that streams would have it, every other method as one that collects.
            if case .head = event {
                let isStreamed = parser.unfinishedRequest?.method == .put
                event = parser.receiveBody(isStreamed ? .stream(bytesMax: limits.bodyBytesMax) : .collect())
            }
            switch event {
            case .needsBytes: break reading
            case .head: require(false, "a body is received once")
            case .streamedRequest:
                guard let request = parser.unfinishedRequest else { fatalError("a head was read") }
                checkGrammar(of: request, isStreamed: true)
                told.append(value(of: request))
                streamed = []
            case .part: streamed += parser.takePart()
            case .partsEnd: told.append(.streamed(streamed))
            case .expectsContinue: told.append(.expectsContinue)
            case .request:
                let request = parser.takeRequest()
                checkGrammar(of: request)
                told.append(value(of: request))
            case .refusal:
                guard let refusal = parser.refusal else { fatalError("a refusal has its reason") }
                require((400...505).contains(refusal.status), "a refusal has the status of an error")
                // The connection closes: what follows is never given to the parser.
                return told + [.refusal(refusal)]
            }
        }
    }
    return told
}

private func value(of request: Request) -> Told {
    .request(
        method: request.method, isHTTP10: request.isHTTP10, traits: request.traits.rawValue, path: request.path,
        query: request.query, headers: request.headers.map { "\($0.name): \($0.value)" },
        body: request.withBody { Array($0) })
}

/// The grammar's promises to the routes, by checks that share nothing with the parser.
private func checkGrammar(of request: Request, isStreamed: Bool = false) {
    let names = request.headers.map(\.name)
    let hostCount = names.count { $0 == "host" }
    require(hostCount == 1 || request.isHTTP10 && hostCount == 0, "one host")
    require(names.count { $0 == "content-length" || $0 == "transfer-encoding" } <= 1, "one framing")
    require(names.count <= limits.headerCountMax && request.bodyCount <= limits.bodyBytesMax, "the limits")
    require(request.path.hasPrefix("/") || request.path == "*", "a path")
    require(request.path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "a path of visible characters")
    for (name, value) in request.headers {
        require(!name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x3A }, "a field name")
        require(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "a field value")
        require(value.utf8.first != 0x20 && value.utf8.last != 0x20, "a field value without space around it")
    }
    let host = request.headers.first { $0.name == "host" }?.value
    require(request[header: "HOST"] == host, "a field is found by its name in any case")
    let length = request.headers.first { $0.name == "content-length" }?.value
    if let length, !isStreamed, !names.contains("content-encoding") {
        require(Int(length) == request.bodyCount, "a body as long as it says")
    }
}
