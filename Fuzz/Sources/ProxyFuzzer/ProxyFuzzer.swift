import Fuzzing

@main enum ProxyFuzzer {
    static func main() { fuzz(check) }
}

/// What a connection to the forward proxy begins with: the head of a request, or a ClientHello behind one. No request begins
/// with its first byte.
private func check(_ bytes: UnsafeRawBufferPointer) {
    bytes.first == 22 ? checkHello(bytes) : checkHead(bytes)
}

/// However the bytes are cut, the same name is read, and it stands in the bytes.
private func checkHello(_ bytes: UnsafeRawBufferPointer) {
    let whole = readHello(bytes, cuts: [])
    for cuts in cuts(of: bytes) { require(readHello(bytes, cuts: cuts) == whole, "cut at \(cuts), whole: \(whole)") }
    guard case .serverName(let name?) = whole else { return }
    require(
        name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } && name == name.lowercased(), "a name of visible characters")
}

private func readHello(_ bytes: UnsafeRawBufferPointer, cuts: [Int]) -> ClientHelloReader.Event {
    var reader = ClientHelloReader()
    for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
        let event = reader.receive(bytes[start..<end])
        if event != .needsBytes { return event }
    }
    return .needsBytes
}

/// A head: however it is cut into reads, the reader has the same event, and what it
/// lets through has one host, one port, and nothing that another server would read otherwise.
private func checkHead(_ bytes: UnsafeRawBufferPointer) {
    let (whole, rest) = read(bytes, cuts: [])
    for cuts in cuts(of: bytes) {
        let (event, other) = read(bytes, cuts: cuts)
        require(event == whole && other == rest, "cut at \(cuts):\n\(event)\nwhole:\n\(whole)")
    }
    switch whole {
    case .needsBytes: require(bytes.count < limits.headBytesMax, "a head has a bound")
    case .refusal(let refusal):
        require([400, 404, 405, 431, 505].contains(refusal.status), "a refusal of a head has one of its statuses")
    case .request(let request):
        let headCount = bytes.count - rest.count
        let head = String(decoding: bytes[..<headCount], as: UTF8.self)
        require(head.hasSuffix("\r\n\r\n") && headCount <= limits.headBytesMax, "a head ends, within its bound")
        checkDecision(request, head)
    }
}

/// Small, so that short inputs reach it.
private let limits = {
    var limits = ProxyLimits()
    limits.headBytesMax = 256
    return limits
}()

private func checkDecision(_ request: ProxyRequest, _ head: String) {
    let policy = ProxyPolicy(serverNames: ["s3.eu-west-1.amazonaws.com"])
    let decision = policy.decide(request)
    guard case .connect(let target, _) = request else {
        return require(decision == .autoConfiguration(isHead: head.hasPrefix("HEAD ")), "the file is the one page")
    }
    require(ProxyTarget(target.text[...]) == target, "a target is read as it was written")
    require(
        !target.host.isEmpty && target.host.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x2F && $0 != 0x40 },
        "a host of visible characters")
    require(head.lowercased().hasPrefix("connect "), "a tunnel is asked for")
    switch decision {
    case .server: require(target.port == 443 && target.host == "s3.eu-west-1.amazonaws.com", "the server's name")
    case .destination(let destination):
        require(destination == target && target.port == 443, "the client's target, at the one port")
        if let address = target.address, ProxyPolicy.refusal(of: [address], ownAddresses: []) == nil {
            require(address.scope == .global, "a public address")
        }
    case .refusal(let refusal): require(refusal.status == 403, "a target is forbidden")
    case .autoConfiguration: require(false, "a CONNECT is no page")
    }
}

/// Byte by byte, in pieces of seven, and at one place that the input itself picks.
private func cuts(of bytes: UnsafeRawBufferPointer) -> [[Int]] {
    guard bytes.count > 1 else { return [] }
    // FNV-1a, so that a finding is found again.
    let hash = bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return [1, 7].map { Array(stride(from: $0, to: bytes.count, by: $0)) } + [[1 + Int(hash >> 33) % (bytes.count - 1)]]
}

/// The first event other than `needsBytes`, and all bytes behind a request's head.
private func read(_ bytes: UnsafeRawBufferPointer, cuts: [Int]) -> (ProxyHeadReader.Event, [UInt8]) {
    var reader = ProxyHeadReader(limits)
    for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
        let event = reader.receive(bytes[start..<end])
        switch event {
        case .needsBytes: continue
        case .refusal: return (event, [])
        case .request: return (event, reader.rest + bytes[end...])
        }
    }
    return (.needsBytes, [])
}
