/// In the place of the server's, which reads from a connection: the parser alone makes none.
public final class RequestBody: Sendable {}

/// In the place of the server's, which has a descriptor of NIO's: no answer is sent here.
public final class ReadableFile: Sendable {}
