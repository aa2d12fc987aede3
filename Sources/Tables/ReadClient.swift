/// A client of the workers, such as a connection: its long reads take turns with those of the others, however many each
/// has.
public struct ReadClient: Sendable, Hashable {
    private let number: UInt64

    /// The client with this number, which no other client has at the same time.
    public init(_ number: UInt64) { self.number = number }

    /// The client that an object stands for while it exists.
    public init(_ object: ObjectIdentifier) { self.init(UInt64(UInt(bitPattern: object))) }

    /// All callers that do not say who they are.
    public static let unnamed = ReadClient(0)

    /// The server itself, for the reads that no client waits for: those of events.
    public static let server = ReadClient(.max)
}
