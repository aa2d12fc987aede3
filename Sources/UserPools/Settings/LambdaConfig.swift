import JSON

/// The functions that a pool calls, in the words of `LambdaConfigType`.
struct LambdaConfig: Sendable, Hashable {
    /// When a function is called.
    enum Trigger: String, Sendable, CaseIterable {
        case preSignUp = "PreSignUp"
        case postConfirmation = "PostConfirmation"
        case preAuthentication = "PreAuthentication"
        case postAuthentication = "PostAuthentication"
        case preTokenGeneration = "PreTokenGeneration"
        case customMessage = "CustomMessage"
        case defineAuthChallenge = "DefineAuthChallenge"
        case createAuthChallenge = "CreateAuthChallenge"
        case verifyAuthChallengeResponse = "VerifyAuthChallengeResponse"
        case userMigration = "UserMigration"
    }

    /// For each trigger the function's name in the configuration, its ARN or its URL.
    private(set) var functions: [Trigger: String] = [:]
    /// `V1_0`, `V2_0` or `V3_0`: which event the function of PreTokenGeneration is sent.
    var preTokenGenerationVersion = "V1_0"

    init() {}

    init(_ reader: SettingsReader, _ isConfiguration: Bool) {
        for trigger in Trigger.allCases { functions[trigger] = reader.string(trigger.rawValue) }
        if let configuration = reader.section("PreTokenGenerationConfig") {
            functions[.preTokenGeneration] =
                configuration.string("LambdaArn") ?? configuration.string("Function") ?? functions[.preTokenGeneration]
            preTokenGenerationVersion = configuration.string("LambdaVersion") ?? "V1_0"
            if !["V1_0", "V2_0", "V3_0"].contains(preTokenGenerationVersion) {
                configuration.report("LambdaVersion", "'lambdaVersion' is V1_0, V2_0 or V3_0.")
            }
        }
        if isConfiguration { reader.finish() }
    }

    subscript(trigger: Trigger) -> String? { functions[trigger] }

    var json: JSONObject {
        var object = JSONObject()
        for trigger in Trigger.allCases {
            if let function = functions[trigger] { object[trigger.rawValue] = .string(function) }
        }
        if preTokenGenerationVersion != "V1_0", let function = functions[.preTokenGeneration] {
            object["PreTokenGenerationConfig"] = [
                "LambdaArn": .string(function), "LambdaVersion": .string(preTokenGenerationVersion),
            ]
        }
        return object
    }
}
