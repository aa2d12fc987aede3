/// Receives events: one subscription of one socket. Used on its loop only.
public protocol Subscriber: AnyObject {
    /// One event or some, in their order. All subscribers of one group are given the same objects. Who cancels meanwhile
    /// has them all the same.
    func receive(_ messages: ArraySlice<EventMessage>)
    /// The subscription is over: a reload has made it invalid, or events for it were lost. It need not be cancelled.
    func end(_ errors: [RealtimeError])
}
