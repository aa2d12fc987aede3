import Encodings
import Synchronization

/// The operators as a running server knows them: the file is read again when it has changed, so that a new token is
/// accepted, and a revoked one refused, from the next request on. May be used from any thread.
final class OperatorRegistry: Sendable {
    private struct State {
        var fingerprint: Files.Fingerprint?
        var operators: [Operator] = []
    }

    /// Nil where data is thrown away: then there are no operators.
    private let file: OperatorFile?
    private let log: Log
    private let state = Mutex(State())

    init(_ file: OperatorFile?, log: Log) {
        self.file = file
        self.log = log
    }

    /// The operator whose token this is; nil for any other text. It costs one look at the file's state. All tokens are
    /// compared, each to its end, so that the time does not depend on how much of one was right.
    func `operator`(bearing token: [UInt8]) -> Operator? {
        let hash = OperatorToken.hash(token)
        var found: Operator?
        for candidate in current where ConstantTime.isEqual(candidate.tokenHash, hash) { found = candidate }
        return found
    }

    /// Whether there is still an operator with this token and role.
    func isCurrent(_ identity: OperatorIdentity) -> Bool { current.contains { OperatorIdentity($0) == identity } }

    private var current: [Operator] {
        guard let file else { return [] }
        let fingerprint = Files.fingerprint(file.path)
        return state.withLock { state in
            guard fingerprint != state.fingerprint else { return state.operators }
            state.fingerprint = fingerprint
            do throws(ServerError) {
                state.operators = try file.read()
            } catch {
                // Any of the operators that were read before may have been revoked.
                state.operators = []
                log(.error, "No operator's token is accepted until the operators can be read.\n\(error.text)")
            }
            return state.operators
        }
    }
}
