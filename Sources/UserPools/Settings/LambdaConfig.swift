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
            let function = configuration.string("LambdaArn") ?? configuration.string("Function")
            if let function, let other = functions[.preTokenGeneration], function != other {
                configuration.report(
                    "LambdaArn",
                    "'preTokenGeneration' and 'preTokenGenerationConfig' name two functions: \(other) and \(function).",
                    hint: "Name the function in one of them.")
            }
            functions[.preTokenGeneration] = function ?? functions[.preTokenGeneration]
            if functions[.preTokenGeneration] == nil {
                configuration.report(
                    "LambdaArn", "'preTokenGenerationConfig' names no function.", hint: "Add its 'lambdaArn'.")
            }
            preTokenGenerationVersion = configuration.string("LambdaVersion") ?? "V1_0"
            if !["V1_0", "V2_0", "V3_0"].contains(preTokenGenerationVersion) {
                configuration.report("LambdaVersion", "'lambdaVersion' is V1_0, V2_0 or V3_0.")
            }
            if isConfiguration { configuration.finish() }
        }
        if isConfiguration {
            checkChallenges(reader)
            reader.finish()
        }
    }

    /// CUSTOM_AUTH needs all of its three functions.
    private func checkChallenges(_ reader: SettingsReader) {
        let needed: [Trigger] = [.defineAuthChallenge, .createAuthChallenge, .verifyAuthChallengeResponse]
        let missing = needed.filter { functions[$0] == nil }
        guard !missing.isEmpty, let given = needed.first(where: { functions[$0] != nil }) else { return }
        let names = missing.map { "'\(SettingsReader.lowerFirst($0.rawValue))'" }.joined(separator: " and ")
        reader.report(
            given.rawValue, "CUSTOM_AUTH has three functions, and \(names) is missing.",
            hint: "Name a function for each of the three, or for none.")
    }

    /// Each trigger that is configured, with its function and the members under 'lambdaConfig' that name it.
    var places: [(trigger: Trigger, function: String, path: [String])] {
        Trigger.allCases.compactMap { trigger in
            functions[trigger].map { (trigger, $0, [SettingsReader.lowerFirst(trigger.rawValue)]) }
        }
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
