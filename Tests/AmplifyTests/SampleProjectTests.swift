import JSON
import Testing
import Transformer

@testable import Amplify

@Suite("Sample Amplify projects")
struct SampleProjectTests {
    private func value(_ project: AmplifyProject, _ path: String) -> JSONValue? {
        path.split(separator: ".").reduce(JSONValue.object(project.settings.value)) { value, key in
            Int(key).flatMap { index in value?.arrayValue.map { $0[index] } } ?? value?[String(key)]
        }
    }

    private func place(_ project: AmplifyProject, _ path: String) -> String? {
        project.settings.places[path.split(separator: ".").map(String.init)].map { "\($0.sourceName):\($0.line)" }
    }

    /// 2026-01-01T00:00:00Z, after the keys of the samples have expired.
    private static let now: Int64 = 1_767_225_600_000

    @Test("the chat project is read as an old project of version 1 with the ids of its environment")
    func chat() throws {
        let project = try SampleProject.chat.read(ReadingOptions(nowMilliseconds: Self.now))
        #expect(project.name == "isolationchat" && project.frontend == "ios" && project.environment == "dev")
        #expect(
            project.environments == ["dev", "prod"] && project.region == "us-east-1" && project.api == "isolationchat")
        let rows: [(String, JSONValue?)] = [
            ("transformerVersion", 1), ("region", "us-east-1"), ("environmentName", "dev"),
            ("schema", "amplify/backend/api/isolationchat/schema.graphql"),
            ("featureFlags.useSubUsernameForDefaultIdentityClaim", true), ("featureFlags.improvePluralization", false),
            ("featureFlags.enableAutoIndexQueryNames", false), ("featureFlags.secondaryKeyAsGSI", true),
            ("authConfig.defaultAuthentication.authenticationType", "API_KEY"),
            ("authConfig.defaultAuthentication.apiKeyConfig.apiKeyExpirationDays", 365),
            ("authConfig.additionalAuthenticationProviders.0.authenticationType", "AMAZON_COGNITO_USER_POOLS"),
            ("authConfig.additionalAuthenticationProviders.0.userPoolConfig.userPoolId", "us-east-1_ChatDev01"),
            ("apiKey.0.key", "da2-chatdevexample000000000001"), ("apiKey.0.expires", nil), ("resolverConfig", nil),
            ("userPool.id", "us-east-1_ChatDev01"), ("userPool.usernameAttributes", nil),
            ("userPool.usernameCaseSensitive", false), ("userPool.passwordPolicy.minimumLength", 8),
            ("userPool.passwordPolicy.requireLowercase", false), ("userPool.passwordPolicy.requireNumbers", false),
            ("userPool.clients.0.id", "2chatwebclientexample00002"), ("userPool.clients.0.secret", nil),
            ("userPool.clients.1.id", "1chatnativeclientexample01"),
            ("userPool.clients.1.secret", "chatnativeclientsecretexample00000000000000000000001"),
            ("userPool.groups", nil), ("userPool.lambdaConfig", nil),
            ("identityPool.id", "us-east-1:0c0c0c0c-1111-4222-8333-0123456789ab"),
            ("identityPool.allowUnauthenticatedIdentities", true), ("storage", nil),
            ("analytics.appId", "0123456789abcdef0123456789abcdef"), ("analytics.region", nil),
            ("appSyncEndpoint", "https://chatexamplehost00000000001.appsync-api.us-east-1.amazonaws.com/graphql"),
        ]
        for (path, expected) in rows { #expect(value(project, path) == expected, "\(path)") }
        #expect(project.rows.contains { $0.name == "API key" && $0.sentence.contains("accepted anyway") })
    }

    @Test(
        "another environment of the chat project has its region and none of the ids of the first, the same at each start"
    )
    func chatProd() throws {
        let options = ReadingOptions(environment: "prod", nowMilliseconds: Self.now)
        let project = try SampleProject.chat.read(options)
        #expect(project.region == "eu-west-1" && !project.hasCloudIDs)
        let text = JSONValue.object(project.settings.value).description
        for id in ["us-east-1", "ChatDev01", "example0", "0c0c0c0c", "0123456789abcdef0", "da2-"] {
            #expect(!text.contains(id), "\(id)")
        }
        #expect(value(project, "userPool.id")?.stringValue?.hasPrefix("eu-west-1_") == true)
        #expect(value(project, "userPool.id")?.stringValue?.count == 19)
        #expect(value(project, "userPool.clients.1.secret") == nil)
        #expect(try SampleProject.chat.read(options).settings.value == project.settings.value)
        #expect(project.rows.contains { $0.sentence.contains("amplify-meta.json is of environment 'dev'") })
    }

    @Test("the landmarks project is read as version 2 with its pool, groups, bucket and hosted pages")
    func landmarks() throws {
        let project = try SampleProject.landmarks.read(
            ReadingOptions(overrides: ["functions": ["landmarks5a6b7c8dPostConfirmation": "http://127.0.0.1:1"]]))
        #expect(project.name == "landmarks" && project.environment == "dev" && project.region == "eu-west-1")
        let all: JSONValue = ["CREATE_AND_UPDATE", "READ", "DELETE"]
        let rows: [(String, JSONValue?)] = [
            ("transformerVersion", 2), ("featureFlags.enableAutoIndexQueryNames", true),
            ("authConfig.defaultAuthentication.userPoolConfig.userPoolId", "eu-west-1_LmDev0002"),
            ("authConfig.additionalAuthenticationProviders", []), ("apiKey", nil),
            ("appSyncEndpoint", "https://landmarkexamplehost0000002.appsync-api.eu-west-1.amazonaws.com/graphql"),
            ("userPool.id", "eu-west-1_LmDev0002"), ("userPool.usernameAttributes", ["email"]),
            ("userPool.requiredAttributes", ["email"]), ("userPool.passwordPolicy.minimumLength", 8),
            ("userPool.passwordPolicy.requireLowercase", true), ("userPool.passwordPolicy.requireNumbers", true),
            ("userPool.passwordPolicy.requireUppercase", false), ("userPool.passwordPolicy.requireSymbols", false),
            ("userPool.domain", "landmarks5a6b7c8d-5a6b7c8d-dev"),
            ("userPool.clients.0.id", "3landmarkswebclientexample2"),
            ("userPool.clients.1.id", "4landmarksnativeclientexam2"),
            ("userPool.clients.1.secret", nil), ("userPool.clients.1.refreshTokenValidityDays", 90),
            ("userPool.clients.0.callbackURLs", ["landmarks://"]), ("userPool.clients.0.allowedOAuthFlows", ["code"]),
            ("userPool.clients.0.writeAttributes", ["email", "name"]),
            ("userPool.groups.0.name", "Editors"), ("userPool.groups.0.precedence", 1),
            ("userPool.groups.1.name", "Visitors"), ("userPool.groups.1.precedence", 2),
            ("userPool.lambdaConfig.postConfirmation", "landmarks5a6b7c8dPostConfirmation"),
            ("identityPool.id", "eu-west-1:0d0d0d0d-2222-4333-8444-123456789abc"),
            ("identityPool.roleMapping", "token"),
            ("storage.name", "landmarks3f1c5e7a9b2d4c6e8f0a1b2c3d4e5f60145210-dev"),
            ("storage.guestAccess", ["READ"]), ("storage.authAccess", all), ("storage.groupAccess.Editors", all),
            ("storage.triggers", nil), ("analytics", nil),
        ]
        for (path, expected) in rows { #expect(value(project, path) == expected, "\(path)") }
        #expect(project.rows.contains { $0.name == "1 hook" && $0.status == .notServed })
        #expect(
            place(project, "userPool.usernameAttributes") == "amplify/backend/auth/landmarks5a6b7c8d/cli-inputs.json:55"
        )
    }

    @Test("the booking project takes its first environment in dev, and has to be given one to serve")
    func booking() throws {
        let sample = try SampleProject.booking
        let project = try sample.read(ReadingOptions(nowMilliseconds: Self.now))
        #expect(project.environment == "staging" && project.region == "us-west-2" && !project.hasCloudIDs)
        #expect(project.warnings.contains { $0.message.contains("'staging', the first one, is served") })
        let rows: [(String, JSONValue?)] = [
            ("transformerVersion", 1), ("schema", "amplify/backend/api/bookingstay/schema"),
            ("featureFlags.improvePluralization", false), ("apiKey", nil), ("userPool", nil), ("storage", nil),
            ("resolverConfig.project.ConflictHandler", "AUTOMERGE"),
            ("resolverConfig.project.ConflictDetection", "VERSION"),
            ("resolverConfig.models.Booking.ConflictHandler", "OPTIMISTIC_CONCURRENCY"),
            ("authConfig.defaultAuthentication.apiKeyConfig.apiKeyExpirationDays", 30),
            ("authConfig.additionalAuthenticationProviders", []),
        ]
        for (path, expected) in rows { #expect(value(project, path) == expected, "\(path)") }
        #expect(place(project, "featureFlags.improvePluralization") == "amplify/cli.staging.json:4")
        let prod = try sample.read(ReadingOptions(purpose: .serve, environment: "prod"))
        #expect(value(prod, "featureFlags.improvePluralization") == true)
        #expect(place(prod, "featureFlags.improvePluralization") == "amplify/cli.json:5")

        let missing = try #require(sample.error(ReadingOptions(purpose: .serve)))
        #expect(missing.isUsage && missing.diagnostics[0].hint?.contains("staging, prod") == true)
        let unknown = try #require(sample.error(ReadingOptions(environment: "nope")))
        #expect(unknown.isUsage && unknown.diagnostics[0].hint?.contains("staging, prod") == true)
    }

    @Test("a client file with the ids of another region or environment gives none of them")
    func foreignClientFiles() throws {
        var sample = try SampleProject.chat
        for path in ["backend", "#current-cloud-backend"] { sample.files["amplify/\(path)/amplify-meta.json"] = nil }
        #expect(try sample.read(ReadingOptions(environment: "dev")).hasCloudIDs)
        sample.files["amplify/.config/local-env-info.json"] = nil
        for environment in ["dev", "prod"] {
            let project = try sample.read(ReadingOptions(environment: environment))
            #expect(!project.hasCloudIDs, "several environments, and none is checked out: \(environment)")
            #expect(project.rows.contains { $0.name == "ids" && $0.status == .different })
        }
        // The environment is the one that is checked out, in another region than the files'.
        sample.files["amplify/.config/local-env-info.json"] = #"{"envName": "prod"}"#
        let prod = try sample.read()
        #expect(prod.environment == "prod" && !prod.hasCloudIDs)
        #expect(prod.rows.contains { $0.name == "ids" && $0.status == .different })
    }

    @Test("the ids of landmarks come from the copy of the cloud, then from client files, then they are invented")
    func idSources() throws {
        var sample = try SampleProject.landmarks
        let whole = try sample.read()
        sample.files["amplify/backend/amplify-meta.json"] = nil
        let copy = try sample.read()
        #expect(value(copy, "userPool.id") == value(whole, "userPool.id"))
        #expect(place(copy, "userPool.id")?.hasPrefix("amplify/#current-cloud-backend/") == true)
        sample.files["amplify/#current-cloud-backend/amplify-meta.json"] = nil
        let client = try sample.read()
        #expect(value(client, "userPool.id") == value(whole, "userPool.id"))
        #expect(value(client, "userPool.clients.1.id") == value(whole, "userPool.clients.1.id"))
        #expect(value(client, "identityPool.id") == value(whole, "identityPool.id"))
        #expect(value(client, "storage.name") == value(whole, "storage.name"))
        for name in ["awsconfiguration.json", "amplifyconfiguration.json"] { sample.files[name] = nil }
        let none = try sample.read()
        #expect(!none.hasCloudIDs && value(none, "userPool.id") != value(whole, "userPool.id"))
        #expect(value(none, "storage.name") == value(whole, "storage.name"), "it is made of the stack's name")
        #expect(none.rows.contains { $0.name == "ids" && $0.sentence.contains("invented") })
    }

    @Test("the schema that was pushed last is never served, and --env dev changes nothing")
    func currentBackend() throws {
        var sample = try SampleProject.landmarks
        let whole = try sample.read()
        #expect(whole.settings.value == (try sample.read(ReadingOptions(environment: "dev")).settings.value))
        sample.files["amplify/#current-cloud-backend/api/landmarks/schema.graphql"] = "broken"
        #expect(whole.settings.value == (try sample.read()).settings.value)
        #expect(!whole.files.contains { $0.contains("#current-cloud-backend") && $0.hasSuffix(".graphql") })
    }

    /// Start time is what a developer waits for. A debug build on a busy machine takes several times as long.
    @Test(
        "reading a sample project takes less than 50 ms",
        arguments: ["chat-v1", "landmarks-v2-auth", "booking-datastore"])
    func duration(name: String) throws {
        let sample = try SampleProject(name)
        let times = try (0..<5).map { _ in
            try ContinuousClock().measure { _ = try sample.read(ReadingOptions(purpose: .develop)) }
        }
        #if DEBUG
        let most = Duration.seconds(2)
        #else
        let most = Duration.milliseconds(50)
        #endif
        #expect(try #require(times.min()) < most, "\(times)")
    }
}
