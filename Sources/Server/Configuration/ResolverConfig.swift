import GraphQL
import JSON
import Tables
import Transformer

/// `ResolverConfig` of Amplify's transform.conf.json, and the `resolverConfig` of newer projects: in which models
/// conflicts are detected, and who decides them. `project` is for all models, `models` for single ones by name.
enum ResolverConfig {
    private enum Detection: String, CaseIterable {
        case version = "VERSION"
        case none = "NONE"
    }

    private enum Handler: String, CaseIterable {
        case automerge = "AUTOMERGE"
        case optimisticConcurrency = "OPTIMISTIC_CONCURRENCY"
        case lambda = "LAMBDA"
        case none = "NONE"
    }

    /// Reads one of the two; `functions` have been read before.
    static func read(_ section: ConfigurationSection, into configuration: inout Configuration) {
        let project = decision(section.section("project"), configuration)
        if let detection = project.detection { configuration.transform.conflictDetection = detection }
        if let handler = project.handler { configuration.transform.conflictHandler = handler }
        if let function = project.function { configuration.conflictFunctions.project = function }
        let models = section.section("models")
        for name in models.object.keys {
            let decision = decision(models.section(name), configuration)
            if let detection = decision.detection { configuration.transform.modelConflictDetection[name] = detection }
            if let handler = decision.handler { configuration.transform.modelConflictHandlers[name] = handler }
            if let function = decision.function { configuration.conflictFunctions.models[name] = function }
            configuration.modelsOfResolverConfig[name] = models.file.place(of: models.path + [name])
        }
        section.finish()
    }

    /// What `--datastore` means: AUTOMERGE in all models, whatever the file says.
    static func automerge(_ configuration: inout Configuration) {
        (configuration.transform.conflictDetection, configuration.transform.modelConflictDetection) = (.version, [:])
        (configuration.transform.conflictHandler, configuration.transform.modelConflictHandlers) = (.automerge, [:])
        configuration.modelsOfResolverConfig = [:]
    }

    private static func decision(
        _ section: ConfigurationSection, _ configuration: Configuration
    ) -> (detection: TransformOptions.ConflictDetection?, handler: ConflictHandler?, function: Function?) {
        let detection = section.choice("ConflictDetection", Detection.self)
        let handler = section.choice("ConflictHandler", Handler.self).flatMap { ConflictHandler(rawValue: $0.rawValue) }
        let isAsked = detection != Detection.none && (handler ?? configuration.transform.conflictHandler) == .lambda
        var function: Function?
        if section.value("LambdaConflictHandler") == nil {
            if isAsked, handler == .lambda, configuration.conflictFunctions.project == nil {
                section.report(
                    "ConflictHandler", "The conflict handler LAMBDA needs a function.",
                    hint: #"Name it, "LambdaConflictHandler": {"name": "…"}, and give its URL in "functions"."#)
            }
        } else if isAsked {
            function = Self.function(section.section("LambdaConflictHandler"), among: configuration.functions)
        } else {
            section.noteUnused("LambdaConflictHandler")
        }
        section.finish()
        return (detection.map { $0 == .version ? .version : .none }, handler, function)
    }

    /// The function that `LambdaConflictHandler` names. Where AWS has it does not matter.
    private static func function(_ section: ConfigurationSection, among functions: [String: Function]) -> Function? {
        let isNamed = section.value("name") != nil
        let name = section.string("name")
        for key in ["region", "lambdaArn", "new"] where section.value(key) != nil {
            section.noteUnused(key)
        }
        section.finish()
        if !isNamed { section.report("name", "'\(section.name("name"))' is missing.") }
        guard let name else { return nil }
        guard let function = functions[name] else {
            section.report(
                "name", "The function \"\(name)\" has no URL.",
                hint: SuggestionList.hint(for: name, among: Array(functions.keys))
                    ?? "Say where it answers: \"functions\": {\"\(name)\": \"http://…\"}.")
            return nil
        }
        return function
    }
}
