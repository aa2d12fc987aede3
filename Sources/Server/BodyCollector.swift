import HTTP

/// Receives the body of a request before its operation begins: a client that sends it slowly holds its bytes, and no place
/// among the operations under way. Runs on the loop of the connection.
enum BodyCollector {
    /// What became of a body.
    enum Outcome: Sendable {
        /// It has arrived.
        case complete
        /// `receive` did not take its bytes.
        case notTaken
        /// The rest of it does not come.
        case failed(RequestBodyError)
        /// It took longer than it may.
        case timedOut
    }

    /// Reads a body to its end. Called on the loop.
    ///
    /// - Parameters:
    ///   - secondsMax: How long the body may take.
    ///   - receive: Takes bytes; false ends the reading.
    ///   - completion: Called once, on the loop.
    static func collect(
        _ stream: RequestBody, secondsMax: Int, receive: @escaping @Sendable ([UInt8]) -> Bool,
        completion: @escaping @Sendable (Outcome) -> Void
    ) {
        read(stream, until: EventLoop.uptimeNanoseconds + Int64(secondsMax) * 1_000_000_000, receive, completion)
    }

    private static func read(
        _ stream: RequestBody, until end: Int64, _ receive: @escaping @Sendable ([UInt8]) -> Bool,
        _ completion: @escaping @Sendable (Outcome) -> Void
    ) {
        stream.read { part in
            switch part {
            case .bytes(let bytes):
                guard receive(bytes) else { return completion(.notTaken) }
                // A client that sends nothing more is found by the connection.
                guard EventLoop.uptimeNanoseconds <= end else { return completion(.timedOut) }
                read(stream, until: end, receive, completion)
            case .end: completion(.complete)
            case .failed(let error): completion(.failed(error))
            }
        }
    }
}
