import JSON

extension UserPools {
    private static let sessionContext = "session"

    /// Creates the state of a challenge that is issued now.
    /// - Parameter minutes: How long it is valid; nil for the client's `AuthSessionValidity`.
    func makeState(
        _ challenge: String, _ user: User, _ pool: UserPool, _ client: UserPoolClient, _ channel: SignInChannel,
        minutes: Int64? = nil
    ) -> ChallengeState {
        var state = ChallengeState(
            challenge: challenge, poolID: pool.id, clientID: client.id, usernameKey: user.usernameKey,
            id: randomness.uuid(), expires: now + (minutes ?? client.authSessionMinutes) * 60_000, channel: channel)
        (state.sub, state.generation, state.run) = (user.sub, user.credentialGeneration, run)
        return state
    }

    /// The user of a state; nil for an unknown user, and if the user was deleted since, even if the name is taken again, or
    /// has another password or signed out everywhere since.
    func user(of state: ChallengeState) async throws(CognitoError) -> User? {
        guard let user = try await records.get(User.self, state.poolID, state.usernameKey), user.sub == state.sub,
            user.credentialGeneration == state.generation
        else {
            return nil
        }
        return user
    }

    /// Seals a state into a `Session`.
    func seal(_ state: ChallengeState) -> String {
        sealer.seal(Array(JSONValue.object(state.json).description.utf8), context: Self.sessionContext)
    }

    /// Opens a `Session` of this client and channel that is neither used nor expired.
    func open(
        session: String?, _ client: UserPoolClient, _ channel: SignInChannel
    ) throws(CognitoError) -> ChallengeState {
        guard let session else { throw .missingParameter("Session") }
        guard let bytes = sealer.open(session, context: Self.sessionContext),
            let object = (try? JSONReader.read(bytes))?.objectValue, let state = ChallengeState(object),
            state.clientID == client.id, channel.continues(state.channel)
        else { throw .notAuthorized("Invalid session for the user.") }
        guard state.expires > now, state.run == run || !state.endsWithRun else { throw .sessionExpired }
        guard singleUse.isUsable(state.id) else { throw .sessionUsed }
        return state
    }

    /// Marks a state as used, once. Called when its challenge succeeds.
    func use(_ state: ChallengeState) throws(CognitoError) {
        guard singleUse.use(state.id, expires: state.expires, now: now) else { throw .sessionUsed }
    }

    /// Counts a wrong response to a challenge.
    func fail(_ state: ChallengeState, from caller: Caller) {
        singleUse.fail(state.id, expires: state.expires, now: now)
        countFailure(of: state.attemptsName, from: caller)
    }

    /// The response that issues a challenge.
    func ask(_ state: ChallengeState, _ parameters: JSONObject) -> JSONObject {
        [
            "ChallengeName": .string(state.challenge), "ChallengeParameters": .object(parameters),
            "Session": .string(seal(state)),
        ]
    }
}
