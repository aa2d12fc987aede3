import API
import Fuzzing
import JSON

@main enum RealtimeFuzzer {
    static func main() { fuzz(check) }
}

/// A conversation with one client, a line each: what the opening brings (`p` a subprotocol, `q` the query, `h` an API
/// key), then messages (`c`), time (`t`), and what the server does of itself: slow answers (`s`), the next answer (`a`),
/// an event (`e`), the end of a subscription (`d`), the end of the connection (`l`). The door that stands around the
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
    var door = RealtimeDoor(opening, limits: limits)
    door.open()
    for line in rest {
        let text = line.dropFirst()
        switch line.first {
        case UInt8(ascii: "c"): door.receive(Array(text))
        case UInt8(ascii: "t"): door.pass(milliseconds: Int64(text.first ?? 0) * 1000)
        case UInt8(ascii: "s"): door.isSlow.toggle()
        case UInt8(ascii: "a"): door.answerNext()
        case UInt8(ascii: "e"): if let number = door.subscriptions.keys.min() { door.publish("{}", to: number) }
        case UInt8(ascii: "d"): if let number = door.subscriptions.keys.min() { door.end(number, []) }
        default: door.lose()
        }
        require(door.subscriptions.count <= 3, "no more subscriptions than there may be")
    }
    while !door.pending.isEmpty { door.answerNext() }
    door.lose()
    require(door.subscriptions.isEmpty, "a lost connection leaves no subscription")
    require(door.offences.isEmpty, "the session keeps its word: \(door.offences)")
}
