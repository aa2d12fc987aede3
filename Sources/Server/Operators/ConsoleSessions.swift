import Encodings
import Synchronization
import Tables

/// The one-time links and the sessions of the console. May be used from any thread.
///
/// Links, and the sessions of `serve`, end with the process. Those of `dev` are in a file, which is read again when it has
/// changed, so that what one server ends has ended for all.
final class ConsoleSessions: Sendable {
    private struct Link {
        let hash: [UInt8]
        let person: OperatorIdentity
        let endMilliseconds: Int64
    }

    private struct Attempts {
        var count: Int
        let startMilliseconds: Int64
    }

    private struct State {
        var links: [Link] = []
        var sessions: [ConsoleSession] = []
        var wrongLinks: [String: Attempts] = [:]
        var fingerprint: Files.Fingerprint?
        /// Whether the file was changed by this process and has to be read again.
        var isStale = false
        /// When uses were last written to the file.
        var writtenMilliseconds: Int64 = 0
    }

    private let mode: Service.Mode
    private let operators: OperatorRegistry
    /// Nil if sessions end with the process.
    private let file: ConsoleSessionFile?
    private let clock: WallClock
    private let log: Log
    private let state = Mutex(State())

    init(
        mode: Service.Mode, operators: OperatorRegistry, file: ConsoleSessionFile?, clock: WallClock, log: Log
    ) {
        (self.mode, self.operators, self.file) = (mode, operators, file)
        (self.clock, self.log) = (clock, log)
    }

    // MARK: - Links

    /// A new link's secret and when it ends.
    func makeLink(for person: OperatorIdentity) -> (secret: ConsoleSecret, endMilliseconds: Int64) {
        let secret = ConsoleSecret()
        let seconds = mode == .dev ? ConsoleLimits.linkSecondsOfDev : ConsoleLimits.linkSecondsOfServe
        let end = clock.milliseconds() + Int64(seconds) * 1_000
        state.withLock { state in
            state.links.append(Link(hash: secret.hash, person: person, endMilliseconds: end))
            state.links.removeFirst(max(0, state.links.count - ConsoleLimits.linkCountMax))
        }
        return (secret, end)
    }

    /// Uses up a link, and returns whom it signs in.
    ///
    /// - Parameter address: Whose wrong links are counted.
    func takeLink(_ secret: ConsoleSecret, from address: String) throws(OperatorProblem) -> OperatorIdentity {
        let (now, hash) = (clock.milliseconds(), secret.hash)
        let result: Result<OperatorIdentity, OperatorProblem> = state.withLock { state in
            let address = Self.counted(address, &state, now)
            if let attempts = state.wrongLinks[address], attempts.count >= ConsoleLimits.wrongLinkCountMax {
                let end = attempts.startMilliseconds + Int64(ConsoleLimits.wrongLinkSeconds) * 1_000
                return .failure(.tooManyLinks(seconds: Int((end - now + 999) / 1_000)))
            }
            state.links.removeAll { $0.endMilliseconds <= now }
            // All are compared, each to its end.
            var found: Int?
            for (index, link) in state.links.enumerated() where ConstantTime.isEqual(link.hash, hash) { found = index }
            guard let found else {
                state.wrongLinks[address, default: Attempts(count: 0, startMilliseconds: now)].count += 1
                return .failure(.wrongLink)
            }
            return .success(state.links.remove(at: found).person)
        }
        let person = try result.get()
        guard isCurrent(person) else { throw .wrongLink }
        return person
    }

    /// The address under which wrong links are counted. Only those of the last minute are kept.
    private static func counted(_ address: String, _ state: inout State, _ now: Int64) -> String {
        let start = now - Int64(ConsoleLimits.wrongLinkSeconds) * 1_000
        state.wrongLinks = state.wrongLinks.filter { $0.value.startMilliseconds > start }
        let isKnown = state.wrongLinks[address] != nil || state.wrongLinks.count < ConsoleLimits.addressCountMax
        return isKnown ? address : ""
    }

    // MARK: - Sessions

    /// Begins a session.
    ///
    /// - Parameter isOfDeveloper: Whether it began on the server's own machine.
    func begin(
        for person: OperatorIdentity, isOfDeveloper: Bool
    ) -> (secret: ConsoleSecret, session: ConsoleSession) {
        let (secret, now) = (ConsoleSecret(), clock.milliseconds())
        let idleSeconds =
            mode == .dev && isOfDeveloper ? ConsoleLimits.idleSecondsOfDeveloper : ConsoleLimits.idleSeconds
        let session = ConsoleSession(
            hash: secret.hash, person: person, createdMilliseconds: now, usedMilliseconds: now,
            idleSeconds: idleSeconds)
        change { $0.append(session) }
        return (secret, session)
    }

    /// The session of a cookie, noting that it was used; nil if there is none, or if it has ended. Event loops call this, so the use
    /// is not written to the file here.
    func session(_ secret: ConsoleSecret) -> ConsoleSession? {
        let (now, hash) = (clock.milliseconds(), secret.hash)
        return state.withLock { state in
            readFile(&state)
            var found: Int?
            for (index, session) in state.sessions.enumerated() where ConstantTime.isEqual(session.hash, hash) {
                found = index
            }
            guard let found, state.sessions[found].endMilliseconds > now,
                isCurrent(state.sessions[found].person)
            else { return nil }
            state.sessions[found].usedMilliseconds = max(now, state.sessions[found].usedMilliseconds)
            return state.sessions[found]
        }
    }

    /// Writes to the file when sessions were last used, if that is due. Waits for the disk, so it is not for event loops.
    func storeUses() {
        let now = clock.milliseconds()
        let isDue = state.withLock { state in
            guard file != nil, now - state.writtenMilliseconds >= Int64(ConsoleLimits.useWriteSeconds) * 1_000 else {
                return false
            }
            // One thread writes.
            state.writtenMilliseconds = now
            return true
        }
        if isDue { change { _ in } }
    }

    /// Whether a session has not ended. This does not count as a use.
    func isOpen(_ session: ConsoleSession) -> Bool {
        let now = clock.milliseconds()
        return state.withLock { state in
            readFile(&state)
            guard let found = state.sessions.first(where: { $0.hash == session.hash }) else { return false }
            return found.endMilliseconds > now && isCurrent(found.person)
        }
    }

    /// Ends a session.
    func end(_ session: ConsoleSession) { change { $0.removeAll { $0.hash == session.hash } } }

    /// Ends all sessions of a person, and the links that wait for them.
    func endAll(of person: OperatorIdentity) {
        state.withLock { $0.links.removeAll { $0.person.name == person.name } }
        change { $0.removeAll { $0.person.name == person.name } }
    }

    /// Whether a person is the user who runs the server, or still an operator with the same token and role.
    private func isCurrent(_ person: OperatorIdentity) -> Bool {
        person.tokenHash == nil || operators.isCurrent(person)
    }

    // MARK: - The file

    private func readFile(_ state: inout State) {
        guard let file else { return }
        let fingerprint = Files.fingerprint(file.path)
        guard state.isStale || fingerprint != state.fingerprint else { return }
        (state.fingerprint, state.isStale) = (fingerprint, false)
        let used = Self.uses(of: state.sessions)
        state.sessions = file.read()
        Self.note(used, in: &state.sessions)
    }

    /// When each session was last used, by its hash.
    private static func uses(of sessions: [ConsoleSession]) -> [[UInt8]: Int64] {
        Dictionary(sessions.map { ($0.hash, $0.usedMilliseconds) }) { max($0, $1) }
    }

    /// Keeps the later time of use of each session.
    private static func note(_ used: [[UInt8]: Int64], in sessions: inout [ConsoleSession]) {
        for index in sessions.indices {
            let known = used[sessions[index].hash] ?? 0
            sessions[index].usedMilliseconds = max(sessions[index].usedMilliseconds, known)
        }
    }

    /// Changes the sessions, in the file if there is one, which takes over the times of their use as well. Waits for the disk, without
    /// the lock that event loops wait for.
    private func change(_ body: (inout [ConsoleSession]) -> Void) {
        let now = clock.milliseconds()
        guard let file else { return state.withLock { Self.change(&$0.sessions, at: now, body) } }
        let used = state.withLock { Self.uses(of: $0.sessions) }
        do throws(Files.Failure) {
            _ = try file.change { sessions in
                Self.note(used, in: &sessions)
                Self.change(&sessions, at: now, body)
            }
            state.withLock { state in
                // Another thread may have changed it since.
                state.isStale = true
                state.writtenMilliseconds = max(now, state.writtenMilliseconds)
            }
        } catch {
            // They last until the process ends.
            log(.warning, "The console's sessions cannot be stored.", ["file": file.path, "cause": error.reason])
            state.withLock { Self.change(&$0.sessions, at: now, body) }
        }
    }

    /// Changes sessions. Removes those that have ended and, beyond the bound, those that were unused longest.
    private static func change(
        _ sessions: inout [ConsoleSession], at now: Int64, _ body: (inout [ConsoleSession]) -> Void
    ) {
        body(&sessions)
        sessions.removeAll { $0.endMilliseconds <= now }
        guard sessions.count > ConsoleLimits.sessionCountMax else { return }
        sessions.sort { $0.usedMilliseconds > $1.usedMilliseconds }
        sessions.removeLast(sessions.count - ConsoleLimits.sessionCountMax)
    }
}

extension OperatorProblem {
    static let wrongLink = OperatorProblem(
        code: .signedOut, message: "The link is not valid: it was used, or it has expired.",
        hint: "'syncline console' makes a new one.")

    static func tooManyLinks(seconds: Int) -> OperatorProblem {
        var problem = OperatorProblem(
            code: .limited, message: "Too many wrong links came from this address.",
            hint: "Try again in \(seconds) seconds.")
        problem.retrySeconds = seconds
        return problem
    }
}
