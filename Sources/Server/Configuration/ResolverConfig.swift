import GraphQL
import JSON
import Tables
import Transformer

/// `ResolverConfig` of Amplify's transform.conf.json, and the `resolverConfig` of newer projects: in which models
/// conflicts are detected, and who decides them. `project` is for all models, `models` for single ones by name.
struct ResolverConfig: Sendable {
    /// Who decides the conflicts that a function decides.
    var functions = ConflictFunctions()
    /// The models that are named, and where.
    var modelPlaces: [String: Diagnostic.Place] = [:]

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

    /// Reads one of the two; `list` has been read before.
    mutating func read(
        _ section: ConfigurationSection, _ list: FunctionList, into transform: inout TransformOptions
    ) {
        let project = decision(section.section("project"), list, transform)
        if let detection = project.detection { transform.conflictDetection = detection }
        if let handler = project.handler { transform.conflictHandler = handler }
        switch project.decider {
        case .function(let function): (functions.project, functions.missingProject) = (function, nil)
        case .missing(let missing): (functions.project, functions.missingProject) = (nil, missing)
        case nil: break
        }
        let models = section.section("models")
        for name in models.object.keys {
            let decision = decision(models.section(name), list, transform)
            if let detection = decision.detection { transform.modelConflictDetection[name] = detection }
            if let handler = decision.handler { transform.modelConflictHandlers[name] = handler }
            switch decision.decider {
            case .function(let function): (functions.models[name], functions.missingModels[name]) = (function, nil)
            case .missing(let missing): (functions.models[name], functions.missingModels[name]) = (nil, missing)
            case nil: break
            }
            modelPlaces[name] = models.file.place(of: models.path + [name])
        }
        section.finish()
    }

    /// What `--datastore` means: AUTOMERGE in all models, whatever the file says.
    mutating func setAutomerge(in transform: inout TransformOptions) {
        (transform.conflictDetection, transform.modelConflictDetection) = (.version, [:])
        (transform.conflictHandler, transform.modelConflictHandlers) = (.automerge, [:])
        modelPlaces = [:]
    }

    /// The function that `LambdaConflictHandler` names, or why it cannot be called.
    private enum Decider {
        case function(Function)
        case missing(Diagnostic)
    }

    private func decision(
        _ section: ConfigurationSection, _ list: FunctionList, _ transform: TransformOptions
    ) -> (detection: TransformOptions.ConflictDetection?, handler: ConflictHandler?, decider: Decider?) {
        let detection = section.choice("ConflictDetection", Detection.self)
        let handler = section.choice("ConflictHandler", Handler.self).flatMap { ConflictHandler(rawValue: $0.rawValue) }
        let isAsked = detection != Detection.none && (handler ?? transform.conflictHandler) == .lambda
        var decider: Decider?
        if section.value("LambdaConflictHandler") == nil {
            if isAsked, handler == .lambda, functions.project == nil, functions.missingProject == nil {
                section.report(
                    "ConflictHandler", "The conflict handler LAMBDA needs a function.",
                    hint: #"Name it, "LambdaConflictHandler": {"name": "…"}, and give its URL in "functions"."#)
            }
        } else if isAsked {
            decider = Self.decider(section.section("LambdaConflictHandler"), among: list.byName)
        } else {
            section.noteUnused("LambdaConflictHandler")
        }
        section.finish()
        return (detection.map { $0 == .version ? .version : .none }, handler, decider)
    }

    /// Reads `LambdaConflictHandler`. Where AWS has the function does not matter.
    private static func decider(_ section: ConfigurationSection, among functions: [String: Function]) -> Decider? {
        let isNamed = section.value("name") != nil
        let name = section.string("name")
        for key in ["region", "lambdaArn", "new"] where section.value(key) != nil {
            section.noteUnused(key)
        }
        section.finish()
        if !isNamed { section.report("name", "'\(section.name("name"))' is missing.") }
        guard let name else { return nil }
        if let function = functions[name] { return .function(function) }
        return .missing(
            Diagnostic(
                kind: "Warning",
                message:
                    "The function \"\(name)\", which decides conflicts, has no URL: 'syncline dev' answers them with "
                    + "ConflictError, and 'syncline serve' does not start.",
                place: section.file.place(of: section.path + ["name"]),
                hint: SuggestionList.hint(for: name, among: Array(functions.keys))
                    ?? "Say where it answers: \"functions\": {\"\(name)\": \"http://…\"}."))
    }
}
