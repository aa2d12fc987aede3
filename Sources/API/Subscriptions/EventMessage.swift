/// What an event makes subscribers receive.
public final class EventMessage: Sendable {
    /// The event's place in the one order of all events since the start, from 1.
    public let number: UInt64
    /// `{"data":{"onCreatePost":{…}}}`, followed by `"errors":[…]` if there are any. `data` is never null.
    public let payload: [UInt8]

    init(number: UInt64, payload: [UInt8]) {
        self.number = number
        self.payload = payload
    }
}
