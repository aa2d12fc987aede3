import Fuzzing

@main enum WebSocketFuzzer {
    static func main() { fuzz(check) }
}

/// Bytes of a client after the upgrade: however they are cut into reads, the same events are told; what is let through
/// obeys RFC 6455 and the limits; and the events, written as frames again, are told again.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let whole = events(of: bytes, cuts: [])
    for cuts in cuts(of: bytes) {
        let parts = events(of: bytes, cuts: cuts)
        require(parts == whole, "cut at \(cuts):\n\(parts)\nwhole:\n\(whole)")
    }
    for event in whole { checkRules(of: event) }
    // A failure is no frame.
    let told = whole.filter { if case .failure = $0 { false } else { true } }
    let written = told.enumerated().flatMap { frames(of: $1, key: UInt32(truncatingIfNeeded: $0 &* 0x9E37_79B9)) }
    let again = written.withUnsafeBytes { events(of: $0, cuts: []) }
    require(again == told, "written again:\n\(again)\nbefore:\n\(told)")
}

/// Small, so that short inputs reach them.
private let limits = {
    var limits = WebSocketLimits()
    limits.messageBytesMax = 300
    limits.fragmentCountMax = 6
    return limits
}()

/// Byte by byte; in pieces of three and of seventeen; at every one place of a short input, else at every seventh.
private func cuts(of bytes: UnsafeRawBufferPointer) -> [[Int]] {
    guard bytes.count > 1 else { return [] }
    let pieces = [1, 3, 17].map { Array(stride(from: $0, to: bytes.count, by: $0)) }
    let step = bytes.count <= 48 ? 1 : 7
    return pieces + stride(from: 1, to: min(bytes.count, 512), by: step).map { [$0] }
}

private func events(of bytes: UnsafeRawBufferPointer, cuts: [Int]) -> [WebSocketFrames.Event] {
    var parser = WebSocketFrames(limits: limits)
    var told: [WebSocketFrames.Event] = []
    for (start, end) in zip([0] + cuts, cuts + [bytes.count]) {
        parser.append(UnsafeRawBufferPointer(rebasing: bytes[start..<end]))
        reading: while true {
            let event = parser.next()
            switch event {
            case .needsBytes: break reading
            case .text, .ping, .pong: told.append(event)
            case .close, .failure:
                require(parser.next() == .needsBytes && parser.keptBytes == 0, "nothing after the last event")
                told.append(event)
            }
        }
    }
    return told
}

/// The protocol's promises to the socket, by checks that share nothing with the parser.
private func checkRules(of event: WebSocketFrames.Event) {
    switch event {
    case .needsBytes, .pong, .close(nil): break
    case .text(let text):
        require(text.count <= limits.messageBytesMax, "the limit of a message")
        require(isUTF8(text), "text is UTF-8")
    case .ping(let payload): require(payload.count <= 125, "the limit of a control frame")
    case .close(let code?): require(code.isSendable && code.rawValue >= 1000, "a code for the wire")
    case .failure(let failure):
        let codes: [WebSocketCloseCode] = [.protocolError, .unsupportedData, .invalidPayload, .messageTooBig]
        require(codes.contains(failure.code) && failure.reason.utf8.count <= 123, "a close frame holds the failure")
    }
}

/// The standard library replaces what is malformed, so well-formed text comes out as it went in.
private func isUTF8(_ bytes: ArraySlice<UInt8>) -> Bool {
    String(decoding: bytes, as: UTF8.self).utf8.elementsEqual(bytes)
}

/// The frames that tell `event`; every other message comes in two fragments.
private func frames(of event: WebSocketFrames.Event, key: UInt32) -> [UInt8] {
    switch event {
    case .needsBytes, .failure: return []
    case .ping(let payload): return frame(.ping, payload, key: key)
    case .pong: return frame(.pong, [], key: key)
    case .close(let code):
        let payload = code.map { [UInt8($0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] } ?? []
        return frame(.close, payload[...], key: key)
    case .text(let text):
        guard key & 1 == 1 else { return frame(.text, text, key: key) }
        let middle = text.startIndex + text.count / 2
        return frame(.text, isFinal: false, text[..<middle], key: key)
            + frame(.continuation, text[middle...], key: key &+ 1)
    }
}

private func frame(
    _ opcode: WebSocketFrameHeader.Opcode, isFinal: Bool = true, _ payload: ArraySlice<UInt8>, key: UInt32
) -> [UInt8] {
    let header = WebSocketFrameHeader(
        opcode: opcode, isFinal: isFinal, payloadCount: payload.count, maskingKey: key)
    var bytes = [UInt8](repeating: 0, count: WebSocketFrameHeader.byteCountMax)
    let count = bytes.withUnsafeMutableBytes { header.write(to: $0) }
    var masked = Array(payload)
    masked.withUnsafeMutableBytes { WebSocketFrameHeader.mask($0, with: key) }
    return bytes[..<count] + masked
}
