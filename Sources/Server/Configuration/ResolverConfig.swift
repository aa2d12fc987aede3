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

    static func read(_ section: ConfigurationSection, into options: inout TransformOptions) {
        let project = decision(section.section("project"))
        options.conflictDetection = project.detection ?? options.conflictDetection
        options.conflictHandler = project.handler ?? options.conflictHandler
        let models = section.section("models")
        for name in models.object.keys {
            let decision = decision(models.section(name))
            if let detection = decision.detection { options.modelConflictDetection[name] = detection }
            if let handler = decision.handler { options.modelConflictHandlers[name] = handler }
        }
        section.finish()
    }

    /// What `--datastore` means: AUTOMERGE in all models, whatever the file says.
    static func automerge(_ options: inout TransformOptions) {
        (options.conflictDetection, options.modelConflictDetection) = (.version, [:])
        (options.conflictHandler, options.modelConflictHandlers) = (.automerge, [:])
    }

    private static func decision(
        _ section: ConfigurationSection
    ) -> (detection: TransformOptions.ConflictDetection?, handler: ConflictHandler?) {
        let detection = section.choice("ConflictDetection", Detection.self)
        let handler = section.choice("ConflictHandler", Handler.self)
        if section.value("LambdaConflictHandler") != nil, handler != .lambda {
            section.findings.notes.append("\(section.name("LambdaConflictHandler")) is accepted and has no effect.")
        }
        if handler == .lambda, detection != Detection.none {
            section.reportNotServed(
                "ConflictHandler", "The conflict handler LAMBDA",
                hint: "This version serves \"AUTOMERGE\" and \"OPTIMISTIC_CONCURRENCY\".")
        }
        section.finish()
        return (
            detection.map { $0 == .version ? .version : .none },
            handler.flatMap { ConflictHandler(rawValue: $0.rawValue) }
        )
    }
}
