/// An event that has left, with its place in the one order that all loops see.
struct PublishedEvent: Sendable {
    /// Counted from 1.
    let number: UInt64
    let event: Event
}
