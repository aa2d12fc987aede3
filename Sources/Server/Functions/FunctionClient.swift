import AsyncHTTPClient
import HTTP
import NIOCore
import NIOHTTP1
import Synchronization

/// Calls functions: an event goes to a function's URL as JSON by POST, and its answer comes back with status 200, as
/// from AWS Lambda's Invoke.
///
/// It works on the event loops of the server, and has to end before they do. Safe to use from any thread.
final class FunctionClient: Sendable {
    private let client: HTTPClient
    /// Calls under way.
    private let callCount = Atomic(0)

    /// - Parameter limits: Those at the start also bound the connections that are kept to one host.
    init(on server: HTTPServer, limits: FunctionLimits) {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = limits.callsMax
        // Where no server listens, the call fails at once instead of at its timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .shared(server.group), configuration: configuration)
    }

    /// Calls a function. The completion is called once, on any thread, and at once for a call that is one too many.
    func call(
        _ function: Function, _ event: [UInt8], limits: FunctionLimits,
        completion: @escaping @Sendable (Result<[UInt8], FunctionError>) -> Void
    ) {
        let request: HTTPClient.Request
        do {
            request = try HTTPClient.Request(
                url: function.url, method: .POST, headers: ["Content-Type": "application/json"], body: .bytes(event))
        } catch { return completion(.failure(FunctionError(error))) }
        guard callCount.add(1, ordering: .relaxed).newValue <= limits.callsMax else {
            callCount.subtract(1, ordering: .relaxed)
            return completion(.failure(.tooManyCalls(limits.callsMax)))
        }
        let accumulator = ResponseAccumulator(request: request, maxBodySize: limits.answerBytesMax)
        let deadline = NIODeadline.now() + .seconds(Int64(limits.callSeconds))
        client.execute(request: request, delegate: accumulator, deadline: deadline).futureResult.whenComplete {
            [self] result in
            callCount.subtract(1, ordering: .relaxed)
            completion(Self.answer(result))
        }
    }

    /// Ends: calls under way fail, connections are closed.
    func end() async {
        // The one error there is says that it has ended already.
        try? await client.shutdown()
    }

    private static func answer(_ result: Result<HTTPClient.Response, any Error>) -> Result<[UInt8], FunctionError> {
        switch result {
        case .success(let response) where response.status == .ok:
            return .success(response.body.map { Array($0.readableBytesView) } ?? [])
        case .success(let response): return .failure(.status(response.status.code))
        case .failure(let error): return .failure(FunctionError(error))
        }
    }
}

/// The bounds of functions.
public struct FunctionLimits: Sendable, Hashable {
    /// Time for a function to answer, in seconds, its connection included.
    public var callSeconds = 10
    /// Calls at one time; one more is not begun.
    public var callsMax = 64
    /// Bytes of an answer.
    public var answerBytesMax = 1 << 20

    /// The defaults.
    public init() {}
}

/// Why a function gave no answer.
struct FunctionError: Error {
    enum Code {
        /// As many calls are under way as may be.
        case tooManyCalls
        /// The function cannot be reached, took too long, answered too much, or another status than 200.
        case failed
    }

    let code: Code
    /// For the log; it holds nothing of the event or the answer.
    let reason: String

    private init(_ code: Code, _ reason: String) { (self.code, self.reason) = (code, reason) }

    fileprivate init(_ error: any Error) {
        let reason = (error as? HTTPClientError).map { $0.shortDescription } ?? "\(error)"
        self.init(.failed, reason)
    }

    fileprivate static func tooManyCalls(_ countMax: Int) -> FunctionError {
        FunctionError(.tooManyCalls, "\(countMax) calls are under way")
    }

    fileprivate static func status(_ code: UInt) -> FunctionError {
        FunctionError(.failed, "it answered status \(code)")
    }
}
