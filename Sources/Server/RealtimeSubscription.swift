import API

/// One subscription of a client, to which the API delivers events.
final class RealtimeSubscription: Subscriber {
    private let number: Int
    private let frame: RealtimeFrame
    private let connection: RealtimeConnection

    init(_ number: Int, _ frame: RealtimeFrame, of connection: RealtimeConnection) {
        self.number = number
        self.frame = frame
        self.connection = connection
    }

    func receive(_ messages: ArraySlice<EventMessage>) { connection.deliver(messages, in: frame) }

    func end(_ errors: [RealtimeError]) { connection.end(number, errors) }
}
