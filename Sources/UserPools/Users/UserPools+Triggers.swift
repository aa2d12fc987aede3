import JSON

extension UserPools {
    /// Calls a trigger's function (AWS Cognito Developer Guide, "Customizing user pool workflows with Lambda triggers").
    ///
    /// - Parameters:
    ///   - source: The trigger source, such as `PreSignUp_SignUp`.
    ///   - name: The user name, if the user does not exist yet.
    ///   - response: The empty `response` of the event, for the function to fill in.
    /// - Returns: The `response` of the function's event; the given one if no function is configured.
    func call(
        _ trigger: LambdaConfig.Trigger, _ source: String, for user: User?, named name: String? = nil,
        in pool: UserPool, client: UserPoolClient?, request: JSONObject, response: JSONObject, version: String = "1"
    ) async throws(CognitoError) -> TriggerResponse {
        guard let function = pool.lambdaConfig[trigger] else { return TriggerResponse(object: response) }
        let event: JSONValue = [
            "version": .string(version), "triggerSource": .string(source), "region": .string(pool.region),
            "userPoolId": .string(pool.id), "userName": (user?.username ?? name).map(JSONValue.string) ?? .null,
            "callerContext": [
                "awsSdkVersion": "aws-sdk-unknown-unknown",
                "clientId": .string(client?.id ?? "CLIENT_ID_NOT_APPLICABLE"),
            ],
            "request": .object(request), "response": .object(response),
        ]
        switch await services.invokeFunction(function, event) {
        case .value(let value):
            guard let answered = value["response"]?.objectValue else {
                throw TriggerResponse.unrecognizable
            }
            return TriggerResponse(object: answered)
        case .failed(let message):
            throw CognitoError(
                "UserLambdaValidationException", "\(trigger.rawValue) failed with error \(message).")
        case .unreachable:
            throw CognitoError(
                "UnexpectedLambdaException", "The function of \(trigger.rawValue) could not be reached.")
        }
    }

    /// A user's attributes as triggers receive them.
    static func triggerAttributes(_ user: User) -> JSONValue {
        let status: (String, JSONValue) = ("cognito:user_status", .string(user.status.rawValue))
        return .object(JSONObject(user.allAttributes.map { ($0.name, JSONValue.string($0.value)) } + [status]))
    }

    static func json(_ texts: [String: String]) -> JSONValue {
        .object(JSONObject(texts.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }))
    }
}
