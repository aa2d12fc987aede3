import Dispatch
import JSON
import Synchronization
import Testing
import Transformer

@testable import API

/// Functions of a test, by their names: what they were sent, and what they answer when.
final class FakeFunctions: Sendable {
    typealias Handler = @Sendable (_ event: JSONValue) -> FunctionResult

    private struct State {
        var calls: [FunctionCall] = []
        var runningCount = 0
        var runningCountMax = 0
        /// Answers that are given on request.
        var held: [@Sendable () -> Void] = []
    }

    private let handlers: [String: Handler]
    private let isHeld: Bool
    private let state = Mutex(State())

    /// - Parameter isHeld: Whether answers wait for `release`; otherwise they are given at once, on another thread.
    init(isHeld: Bool = false, _ handlers: [String: Handler]) {
        (self.isHeld, self.handlers) = (isHeld, handlers)
    }

    /// The events that a function was sent, in their order.
    func events(of name: String) -> [String] {
        state.withLock { $0.calls.filter { $0.name == name }.map { String(decoding: $0.event, as: UTF8.self) } }
    }

    /// The functions that were called, in their order.
    var names: [String] { state.withLock { $0.calls.map(\.name) } }

    var calls: [FunctionCall] { state.withLock { $0.calls } }

    /// How many calls were under way at one time.
    var runningCountMax: Int { state.withLock { $0.runningCountMax } }

    var heldCount: Int { state.withLock { $0.held.count } }

    /// Gives the oldest answers that wait.
    func release(_ count: Int = .max) {
        let held = state.withLock { state in
            let held = Array(state.held.prefix(count))
            state.held.removeFirst(held.count)
            return held
        }
        for give in held { give() }
    }

    var invoker: FunctionInvoker {
        { call, completion in
            self.state.withLock { state in
                state.calls.append(call)
                state.runningCount += 1
                state.runningCountMax = max(state.runningCountMax, state.runningCount)
            }
            let give: @Sendable () -> Void = {
                let event = try? JSONReader.read(String(decoding: call.event, as: UTF8.self))
                let result =
                    self.handlers[call.name].map { $0(event ?? .null) }
                    ?? .failed(errorType: "Lambda:ResourceNotFoundException", message: "Function not found")
                self.state.withLock { $0.runningCount -= 1 }
                completion(result)
            }
            if self.isHeld {
                self.state.withLock { $0.held.append(give) }
            } else {
                DispatchQueue.global().async(execute: give)
            }
        }
    }

    /// A service with these functions.
    func service(
        _ schema: String, options: APIOptions = APIOptions(), enforcing rules: [AuthorizationRule]? = nil,
        transform: TransformOptions = TransformOptions()
    ) throws -> Service {
        try Service(
            schema, options: options, enforcing: rules, transform: transform,
            home: Service.Home(invokeFunction: invoker))
    }
}

extension FunctionResult {
    static func json(_ text: String) -> FunctionResult { .answered(Array(text.utf8)) }
    static func value(_ value: JSONValue?) -> FunctionResult { json((value ?? .null).description) }
    static func unhandled(_ message: String) -> FunctionResult {
        .failed(errorType: "Lambda:Unhandled", message: message)
    }
}

/// A request that was sent and whose answer is not waited for.
final class PendingRequest: Sendable {
    private let answer = Mutex<String?>(nil)

    var text: String? { answer.withLock { $0 } }

    fileprivate func take(_ text: String) {
        answer.withLock { answer in
            precondition(answer == nil, "a request is answered once")
            answer = text
        }
    }
}

extension Service {
    /// Sends a request without waiting for its answer.
    func begin(
        _ query: String, _ variables: String? = nil, headers: JSONObject = JSONObject(), from addresses: [String] = [],
        as identity: Identity? = nil
    ) throws -> PendingRequest {
        let pending = PendingRequest()
        var request = try unsafe Array(Self.body(query, variables).utf8).withUnsafeBytes {
            try unsafe context.readRequest($0, for: api)
        }
        request.details = { RequestDetails(headers: headers, sourceAddresses: addresses) }
        unsafe api.respond(to: request, as: identity ?? caller, on: context) { _, bytes in
            pending.take(unsafe String(decoding: bytes, as: UTF8.self))
        }
        return pending
    }

    /// Runs the loop until a condition holds.
    func run(until condition: () -> Bool) throws { try loop.run(until: condition) }
}
