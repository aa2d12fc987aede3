import API
import Buckets
import GraphQL
import HTTP
import JSON
import Tables
import Transformer

/// What a reload replaces as a whole: the API, who may ask it, and how it answers.
///
/// A class, because each request takes hold of it: as a struct that was eight references to count up and down.
final class ServedAPI: Sendable {
    let api: GraphQLAPI
    /// The models as operators see them.
    let dataSources: DataSources
    /// Whether there is a GraphQL API; otherwise no request reaches `api`.
    let hasGraphQL: Bool
    /// The models that operators see; none without a GraphQL API.
    let modelNames: Set<String>
    let authenticator: Authenticator
    /// The mode of user pools; nil where it is none of the API's.
    let userPoolMode: UserPoolMode?
    /// The mode of other issuers; nil where there are none.
    let issuerMode: IssuerMode?
    /// The mode of signed requests; nil where it is none of the API's.
    let signatureMode: SignatureMode?
    /// The mode of Lambda authorizers; nil where there is none.
    let lambdaMode: LambdaMode?
    /// The modes of the API.
    let modes: [TransformOptions.AuthMode]
    /// The claims that rules look at.
    let ruleClaims: Set<ExactText>
    let sourcePolicy: RequestSourcePolicy
    let trustedProxies: TrustedProxies
    /// Which requests the console takes.
    let console: ConsoleAccess
    /// The AWS hostnames that are served; nil if none are.
    let awsNames: AWSNames?
    let redirection: Redirection
    let templates: HeaderTemplates
    /// Whether every answer is AppSync's, whatever `Accept` says.
    let forcesAppSyncStatus: Bool
    /// Whether a mutation may come by GET, in AppSync's way of answering.
    let allowsGetMutations: Bool
    /// Whether tokens are accepted until they expire, whatever became of their session.
    let acceptsRevokedTokens: Bool
    /// The bounds of WebSockets that open from now on.
    let realtimeLimits: RealtimeLimits
    let webSocketLimits: WebSocketLimits
    /// What `/schema.graphql` answers; `nil` where introspection is disabled.
    let schemaText: [UInt8]?
    /// What `/api-config` answers.
    let apiConfig: [UInt8]

    /// - Parameters:
    ///   - userPools: The server's user pools, whose tokens are accepted where that is a mode of the API.
    ///   - tokens: What the modes of others' tokens share; nil where they are not served.
    ///   - otherModes: Further modes of authentication beside API keys.
    init(
        _ api: GraphQLAPI, _ definition: APIDefinition, _ configuration: Configuration,
        _ userPools: UserPoolService? = nil, tokens: TokenServices? = nil, otherModes: [any AuthenticationMode] = []
    ) {
        self.api = api
        dataSources = DataSources(api, definition)
        hasGraphQL = !configuration.schema.isOff
        modelNames = hasGraphQL ? Set(definition.models.map(\.name)) : []
        awsNames = configuration.servedAWSNames
        redirection = Redirection(configuration)
        let modes = definition.authModes
        self.modes = modes
        ruleClaims = definition.ruleClaims
        var otherModes = otherModes
        let issuers = tokens == nil ? [] : configuration.auth.issuers.filter { modes.contains($0.mode) }
        let authorizer = tokens != nil && modes.contains(.lambda) ? configuration.auth.authorizer : nil
        let missing = modes.contains(.lambda) ? configuration.auth.missingAuthorizer : nil
        let hasLambda = authorizer != nil || missing != nil
        if let userPools, modes.contains(.userPools),
            !configuration.userPoolProviders.isEmpty || !issuers.contains(where: { $0.mode == .userPools })
        {
            let mode = UserPoolMode(
                service: userPools, providers: configuration.userPoolProviders, claims: definition.ruleClaims,
                acceptsRevokedTokens: configuration.compatibility.acceptsRevokedTokens,
                leavesOthers: !issuers.isEmpty || hasLambda)
            userPoolMode = mode
            otherModes.append(mode)
        } else {
            userPoolMode = nil
        }
        signatureMode =
            modes.contains(.iam)
            ? userPools.map {
                SignatureMode(
                    service: $0, identityPoolID: configuration.auth.identityPoolID,
                    adminRoles: configuration.transform.adminRoles)
            } : nil
        if let signatureMode { otherModes.append(signatureMode) }
        issuerMode = tokens.flatMap { tokens in
            issuers.isEmpty
                ? nil
                : IssuerMode(
                    services: tokens, issuers: issuers, claims: definition.ruleClaims, isLast: !hasLambda)
        }
        if let issuerMode { otherModes.append(issuerMode) }
        lambdaMode = tokens.flatMap { tokens in
            authorizer.map {
                LambdaMode(
                    services: tokens, authorizer: $0, variablesDepthMax: configuration.limits.api.variablesDepthMax)
            }
        }
        if let lambdaMode { otherModes.append(lambdaMode) }
        if let missing { otherModes.append(MissingAuthorizer(message: missing.message)) }
        authenticator = Authenticator(
            apiKeys: modes.contains(.apiKey) ? configuration.apiKeys.accepted : nil,
            keyDetails: configuration.apiKeys.details,
            createdKeys: modes.contains(.apiKey) ? tokens?.createdKeys : nil, clock: tokens?.clock ?? .system,
            otherModes: otherModes)
        sourcePolicy = RequestSourcePolicy(configuration)
        trustedProxies = configuration.trustedProxies
        console = ConsoleAccess(configuration)
        templates = HeaderTemplates(configuration.cors, sourcePolicy)
        acceptsRevokedTokens = configuration.compatibility.acceptsRevokedTokens
        forcesAppSyncStatus = configuration.compatibility.forcesAppSyncStatus
        allowsGetMutations = configuration.compatibility.allowsGetMutations
        realtimeLimits = configuration.limits.realtime
        webSocketLimits = configuration.limits.webSocket
        schemaText = configuration.allowsIntrospection ? Array(Printer.print(definition.document).utf8) : nil
        apiConfig = Array(JSONValue.object(configuration.apiConfig(modes)).description.utf8)
    }
}

extension Configuration {
    /// What Amplify's mock reports of the API to its console: the members of its `AmplifyAppSyncAPIConfig`. A key that
    /// was configured is a secret, and left out, and so is one that the API does not accept.
    fileprivate func apiConfig(_ modes: [TransformOptions.AuthMode]) -> JSONObject {
        let providers = modes.map { mode -> JSONValue in ["authenticationType": .string(mode.configurationName)] }
        var members: JSONObject = ["name": "syncline"]
        members["defaultAuthenticationType"] = providers.first
        if modes.contains(.apiKey), apiKeys.acceptsDefault { members["apiKey"] = .string(APIKeys.defaultKey) }
        members["additionalAuthenticationProviders"] = .array(Array(providers.dropFirst()))
        // As in the configuration of Amplify's clients.
        if storage.isConfigured, let bucket = storage.buckets.first {
            members["aws_user_files_s3_bucket"] = .string(bucket.name)
            members["aws_user_files_s3_bucket_region"] = .string(region)
        }
        return members
    }
}

extension TokenIssuer {
    /// The mode of its tokens.
    fileprivate var mode: TransformOptions.AuthMode { kind == .openID ? .oidc : .userPools }
}
