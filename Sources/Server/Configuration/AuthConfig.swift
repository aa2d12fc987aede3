import JSON
import Transformer

/// `authConfig`: AppSync's authorization modes, in the words of Amplify and of AppSync's API. A word that is unknown, or that
/// contradicts the mode it stands beside, is reported, so that access is never granted by a weaker rule than the one that
/// was asked for.
struct AuthConfig {
    /// The modes, the default mode first.
    private(set) var modes: [TransformOptions.AuthMode] = []
    /// Whose tokens are accepted in the mode of user pools.
    private(set) var userPools: [UserPoolProvider] = []
    /// The issuers whose tokens are accepted, beside those pools.
    private(set) var issuers: [TokenIssuer] = []
    /// The function that accepts tokens.
    private(set) var authorizer: LambdaAuthorizer?
    /// Why that function cannot be called. It is no error here: `dev` serves the other modes.
    private(set) var missingAuthorizer: Diagnostic?
    /// How long created API keys are valid, in days.
    private(set) var apiKeyDays: Int?
    /// Whether users of the default mode's user pool reach only what names their mode.
    private(set) var deniesByDefault = false
    /// The ids of the user pools that an entry may name.
    private let poolIDs: [String]
    private let functions: FunctionList
    private let environment: String?

    /// The object that each mode may have beside its type.
    private static let details: [TransformOptions.AuthMode: [String]] = [
        .apiKey: ["apiKeyConfig"], .userPools: ["userPoolConfig"], .iam: [], .oidc: ["openIDConnectConfig"],
        .lambda: ["lambdaAuthorizerConfig"],
    ]

    /// Reads the modes; nil where none are configured.
    ///
    /// - Parameters:
    ///   - poolIDs: The ids of the user pools that are configured.
    ///   - functions: The functions that an authorizer may be.
    ///   - environment: What `${env}` stands for in the name of a function.
    static func read(
        _ section: ConfigurationSection, poolIDs: [String], functions: FunctionList, environment: String?
    ) -> AuthConfig? {
        if section.object.isEmpty { return nil }
        var config = AuthConfig(poolIDs: poolIDs, functions: functions, environment: environment)
        let isGiven = section.object["defaultAuthentication"].map { !$0.isNull } ?? false
        let main = section.section("defaultAuthentication")
        if !isGiven {
            let name = section.name("defaultAuthentication")
            section.reportPath(
                [], "'\(name)' is missing: it is the mode of everything that names none.",
                hint: "Give \"defaultAuthentication\": {\"authenticationType\": \"…\"}, one of \(Self.modeNames).")
        }
        config.modes.append(isGiven ? config.readMode(main, isDefault: true) ?? .apiKey : .apiKey)
        if let providers = section.value("additionalAuthenticationProviders") {
            guard let list = providers.arrayValue else {
                section.report(
                    "additionalAuthenticationProviders",
                    "'authConfig.additionalAuthenticationProviders' is a list, [ … ], and not \(providers).")
                return config
            }
            for (index, provider) in list.enumerated() {
                let path = section.path + ["additionalAuthenticationProviders", String(index)]
                config.readAdditional(
                    ConfigurationSection(
                        provider.objectValue ?? [:], at: path, of: section.file, findings: section.findings))
            }
        }
        section.finish()
        return config
    }

    private init(poolIDs: [String], functions: FunctionList, environment: String?) {
        (self.poolIDs, self.functions, self.environment) = (poolIDs, functions, environment)
    }

    private mutating func readAdditional(_ section: ConfigurationSection) {
        guard let mode = readMode(section, isDefault: false) else { return }
        guard modes.contains(mode) else { return modes.append(mode) }
        if [.apiKey, .iam, .lambda].contains(mode) {
            section.report(
                "authenticationType", "\(mode.configurationName) is a mode of the API already.",
                hint: "Remove one of the two. Only user pools and OpenID Connect may be configured more than once.")
        }
    }

    private static let modeNames = TransformOptions.AuthMode.allCases.map { "\"\($0.configurationName)\"" }
        .joined(separator: ", ")

    private mutating func readMode(_ section: ConfigurationSection, isDefault: Bool) -> TransformOptions.AuthMode? {
        let names = Self.modeNames
        guard let type = section.value("authenticationType") else {
            section.reportPath([], "'authenticationType' is missing.", hint: "It is one of \(names).")
            return nil
        }
        guard let mode = TransformOptions.AuthMode.allCases.first(where: { $0.configurationName == type.stringValue })
        else {
            section.report(
                "authenticationType", "The authorization mode \(type) is unknown.", hint: "It is one of \(names).")
            return nil
        }
        checkDetails(section, of: mode)
        switch mode {
        case .apiKey: readAPIKeyConfig(section.section("apiKeyConfig"))
        case .userPools: readUserPool(section.section("userPoolConfig"), isDefault: isDefault)
        case .iam: break
        case .oidc: readOpenIDConnect(section.section("openIDConnectConfig"))
        case .lambda: readAuthorizer(section.section("lambdaAuthorizerConfig"))
        }
        section.finish()
        return mode
    }

    /// Reports the details of other modes.
    private func checkDetails(_ section: ConfigurationSection, of mode: TransformOptions.AuthMode) {
        for (other, keys) in Self.details where other != mode {
            for key in keys {
                guard let value = section.value(key), value.objectValue?.isEmpty != true else { continue }
                section.report(
                    key,
                    "'\(section.name(key))' belongs to \(other.configurationName), and the mode is "
                        + "\(mode.configurationName).",
                    hint: "Remove it, or add a provider of that mode to additionalAuthenticationProviders.")
            }
        }
    }
}

// MARK: - The details of each mode

extension AuthConfig {
    private mutating func readAPIKeyConfig(_ section: ConfigurationSection) {
        apiKeyDays = number("apiKeyExpirationDays", of: section, in: 1...APIKey.daysMax)
        for key in ["apiKeyExpirationDate", "description"] { _ = section.value(key) }
        section.finish()
    }

    /// Reads AppSync's `UserPoolConfig`, or `CognitoUserPoolConfig` of an additional provider. With `issuer` it is a user pool
    /// of another server.
    private mutating func readUserPool(_ section: ConfigurationSection, isDefault: Bool) {
        var provider = UserPoolProvider()
        provider.poolID = section.string("userPoolId")
        let issuer = url(["issuer", "issuerUrl"], of: section)
        if let id = provider.poolID, issuer == nil, !poolIDs.contains(id) {
            section.report(
                "userPoolId", "'\(section.name("userPoolId"))' is \(id), and no user pool with this id is configured.",
                hint: poolIDs.isEmpty
                    ? "Add the pool to 'userPool' in the configuration, or give the 'issuer' of a pool of another server."
                    : "Name one of these: \(poolIDs.joined(separator: ", ")); or give the pool in 'userPool' this 'id'."
            )
        }
        provider.clientIDPattern = pattern(["appIdClientRegex"], of: section)
        _ = section.value("awsRegion")
        if let action = section.value("defaultAction"), action != "ALLOW" {
            if action == "DENY", isDefault {
                deniesByDefault = true
            } else {
                section.report(
                    "defaultAction",
                    action == "DENY"
                        ? "Only the default mode has a 'defaultAction'."
                        : "'\(section.name("defaultAction"))' is one of \"ALLOW\", \"DENY\", and not \(action).")
            }
        }
        section.finish()
        if let issuer {
            add(TokenIssuer(kind: .userPool, issuer: issuer, clientIDPattern: provider.clientIDPattern), section)
        } else {
            userPools.append(provider)
        }
    }

    private mutating func readOpenIDConnect(_ section: ConfigurationSection) {
        _ = section.string("name")
        let names = ["issuerUrl", "issuer", "providerUrl"]
        guard let issuer = url(names, of: section) else {
            if !names.contains(where: { section.object[$0].map { !$0.isNull } ?? false }) {
                section.reportPath(
                    [], "OPENID_CONNECT needs the issuer of the tokens.",
                    hint: "Give \"openIDConnectConfig\": {\"issuerUrl\": \"https://…\"}.")
            }
            return
        }
        var provider = TokenIssuer(kind: .openID, issuer: issuer)
        provider.clientIDPattern = pattern(["clientId", "clientID"], of: section)
        provider.issuedMillisecondsMax = milliseconds("iatTTL", of: section)
        provider.authenticatedMillisecondsMax = milliseconds("authTTL", of: section)
        section.finish()
        add(provider, section)
    }

    private mutating func add(_ issuer: TokenIssuer, _ section: ConfigurationSection) {
        if issuers.contains(where: { $0.isIssuer(issuer.issuer) }) {
            section.reportPath(
                [], "Two providers have the issuer \(issuer.issuer).",
                hint: "Remove one; the clients of both are one regular expression, 'a|b'.")
        }
        if issuer.kind == .openID, let first = issuers.first(where: { $0.kind == .openID }) {
            section.warn(
                "issuerUrl",
                "\(first.issuer) and \(issuer.issuer) are both issuers of OPENID_CONNECT: a caller is known by 'sub' alone, so "
                    + "users of the two with the same 'sub' own the same items.",
                hint: "Make sure that no 'sub' of one issuer is another user's at the other.")
        }
        issuers.append(issuer)
    }

    private mutating func readAuthorizer(_ section: ConfigurationSection) {
        let names = ["lambdaFunction", "authorizerUri"]
        let given = names.filter { section.value($0) != nil }
        let seconds = ["ttlSeconds", "authorizerResultTtlInSeconds"].compactMap {
            number($0, of: section, in: 0...LambdaAuthorizer.secondsMax)
        }
        let pattern = pattern(["identityValidationExpression"], of: section)
        section.finish()
        if seconds.count == 2, seconds[0] != seconds[1] {
            section.report("ttlSeconds", "'ttlSeconds' and 'authorizerResultTtlInSeconds' differ.", hint: "Give one.")
        }
        guard let key = given.first, given.count == 1, let text = section.string(key) else {
            return section.reportPath(
                [],
                given.count > 1
                    ? "An authorizer is one function, and both 'lambdaFunction' and 'authorizerUri' are given."
                    : "AWS_LAMBDA needs the function that accepts tokens.",
                hint: "Give \"lambdaAuthorizerConfig\": {\"lambdaFunction\": \"NAME\"}, and its URL in 'functions'.")
        }
        let name = environment.map { text.replacing("${env}", with: $0) } ?? text
        guard let function = FunctionList.function(name, among: functions.byName), function.isCallable else {
            missingAuthorizer = Diagnostic(
                kind: "Warning", message: "The function \(name) of the Lambda authorizer is not configured.",
                place: section.file.place(of: section.path + [key]),
                hint: "Give its URL in 'functions': {\"\(name)\": \"http://…\"}.")
            return
        }
        authorizer = LambdaAuthorizer(function: function, pattern: pattern, seconds: seconds.first ?? 0)
    }
}

// MARK: - Values

extension AuthConfig {
    /// A URL under one of these names, of which one may be given.
    private func url(_ names: [String], of section: ConfigurationSection) -> String? {
        let given = names.filter { section.value($0) != nil }
        guard let key = given.first else { return nil }
        if given.count > 1 {
            section.report(given[1], "'\(given[0])' and '\(given[1])' are two names of one value.", hint: "Give one.")
        }
        guard let text = section.string(key) else { return nil }
        guard Function(name: "", url: text).isCallable, !text.contains("?"), !text.contains("#") else {
            section.report(key, "'\(section.name(key))' is a URL, https://… or http://…, and not \"\(text)\".")
            return nil
        }
        return text
    }

    private func pattern(_ names: [String], of section: ConfigurationSection) -> WholePattern? {
        let given = names.filter { section.value($0) != nil }
        guard let key = given.first, let text = section.string(key) else { return nil }
        do throws(PatternError) { return try WholePattern(text) } catch {
            section.report(
                key, "'\(section.name(key))' is a regular expression, and \"\(text)\" is none. \(error.message)")
            return nil
        }
    }

    /// A number, which Amplify also writes as text.
    private func number(_ key: String, of section: ConfigurationSection, in range: ClosedRange<Int>) -> Int? {
        guard let value = section.value(key) else { return nil }
        let number = value.intValue.flatMap { Int(exactly: $0) } ?? value.stringValue.flatMap { Int($0) }
        guard let number, range.contains(number) else {
            section.report(
                key,
                "'\(section.name(key))' is a whole number from \(range.lowerBound) to \(range.upperBound), and not "
                    + "\(value).")
            return nil
        }
        return number
    }

    /// A time in milliseconds; nil where it is not limited.
    private func milliseconds(_ key: String, of section: ConfigurationSection) -> Int64? {
        number(key, of: section, in: 0...10_000_000_000_000).flatMap { $0 == 0 ? nil : Int64($0) }
    }
}
