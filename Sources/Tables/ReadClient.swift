/// A client of the workers, such as a connection: its reads take turns with those of the others, however many each has.
public struct ReadClient: Sendable, Hashable {
    private let number: UInt64
    /// Of all clients at one network address the same, as of all that are not on a network. Addresses share the turns and
    /// the queue, and so do the clients of each.
    let address: Int
    /// Whether the client has hung up, as far as is known. Called from any thread.
    let hasHungUp: @Sendable () -> Bool

    /// The client with this number, which no other client has at the same time.
    /// - Parameters:
    ///   - address: A number for its network address.
    ///   - hasHungUp: Whether the client may no longer be there to receive an answer. Reads of such a client run when no
    ///     other read waits, and are cancelled when they are longer than a short one.
    public init(_ number: UInt64, address: Int = 0, hasHungUp: @escaping @Sendable () -> Bool = { false }) {
        self.number = number
        self.address = address
        self.hasHungUp = hasHungUp
    }

    /// The client that an object stands for while it exists.
    public init(
        _ object: ObjectIdentifier, address: Int = 0, hasHungUp: @escaping @Sendable () -> Bool = { false }
    ) {
        self.init(UInt64(UInt(bitPattern: object)), address: address, hasHungUp: hasHungUp)
    }

    /// By the number alone.
    public static func == (one: ReadClient, other: ReadClient) -> Bool { one.number == other.number }

    /// By the number alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(number) }

    /// All callers that do not say who they are.
    public static let unnamed = ReadClient(0)

    /// The server itself, for the reads that no client waits for: those of events.
    public static let server = ReadClient(.max)
}
