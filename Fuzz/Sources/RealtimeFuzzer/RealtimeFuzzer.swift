import API
import Fuzzing
import JSON

@main enum RealtimeFuzzer {
    static func main() { fuzz(check) }
}

/// A conversation with one client, a line each: what the opening brings (`p` a subprotocol, `q` the query, `h` an API
/// key), then messages (`c`), time (`t`), and what the server does of itself: slow answers (`s`), the next answer (`a`),
/// an event (`e`), the end of a subscription (`d`), the end of the connection (`l`). The server that stands around the
/// session watches that it keeps its word.
private func check(_ bytes: UnsafeRawBufferPointer) {
    var opening = RealtimeOpening()
    var rest = bytes.split(separator: UInt8(ascii: "\n"))[...]
    while let line = rest.first, let kind = line.first, "pqh".utf8.contains(kind) {
        let text = line.dropFirst()
        switch kind {
        case UInt8(ascii: "p"): opening.subprotocols.append(String(decoding: text, as: UTF8.self))
        case UInt8(ascii: "q"): opening.query = Array(text)
        default: opening.headers.append(("x-api-key", String(decoding: text, as: UTF8.self)))
        }
        rest.removeFirst()
    }
    var limits = RealtimeLimits()
    (limits.subscriptionsPerConnectionMax, limits.waitingMessagesMax) = (3, 5)
    var server = RealtimeTestServer(opening, limits: limits)
    server.open()
    for line in rest {
        let text = line.dropFirst()
        switch line.first {
        case UInt8(ascii: "c"): server.receive(Array(text))
        case UInt8(ascii: "t"): server.pass(milliseconds: Int64(text.first ?? 0) * 1000)
        case UInt8(ascii: "s"): server.isSlow.toggle()
        case UInt8(ascii: "a"): server.answerNext()
        case UInt8(ascii: "e"): if let number = server.subscriptions.keys.min() { server.publish("{}", to: number) }
        case UInt8(ascii: "d"): if let number = server.subscriptions.keys.min() { server.end(number, []) }
        default: server.lose()
        }
        require(server.subscriptions.count <= 3, "no more subscriptions than there may be")
    }
    while !server.pending.isEmpty { server.answerNext() }
    server.lose()
    require(server.subscriptions.isEmpty, "a lost connection leaves no subscription")
    require(server.offences.isEmpty, "the session keeps its word: \(server.offences)")
}
