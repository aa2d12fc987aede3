import JSON
import Transformer

extension ProjectReader {
    /// Reads the transformer's configuration, and how conflicts are resolved.
    func readTransformConfig(_ resource: Resource, _ inputs: ProjectNode?) {
        let path = "\(resource.folder)/transform.conf.json"
        let config = file(path)
        if let config {
            if let version = config["Version"] {
                if version.value.intValue != 5, !isOverridden("transformConfig", "Version") {
                    report(
                        "Version \(version.value) of the transformer's configuration is not served.", at: version.place,
                        hint: "Run 'amplify migrate', which writes \"Version\": 5.")
                }
            } else if !isOverridden("transformConfig", "Version") {
                report(
                    "A file without a Version is of a transformer from before 2020, which is not served.",
                    at: config.place, hint: "Write \"Version\": 5.")
            }
            set(["transformConfig", "Version"], 5, at: config["Version"]?.place)
            for transformer in config["transformers"]?.elements ?? [] {
                let name = transformer.text ?? transformer.value.description
                row("api", name, .notServed, "The custom transformer is not executed.", at: transformer.place)
                guard !options.ignoresCustomTransformers else { continue }
                report(
                    "The custom transformer \(name) is not served.", at: transformer.place,
                    hint: "Write what it generates into the schema, or serve without it: --ignore-custom-transformers.")
            }
        }
        if let conflicts = inputs?["conflictResolution"], !conflicts.members.isEmpty {
            readConflicts(conflicts)
            if let unused = config?["ResolverConfig"] {
                row(
                    "api", "ResolverConfig", .notNeeded, "conflictResolution of cli-inputs.json is used.",
                    at: unused.place)
            }
        } else if let resolver = config?["ResolverConfig"] {
            readResolverConfig(resolver)
        }
    }

    /// `conflictResolution` of `cli-inputs.json`.
    private func readConflicts(_ node: ProjectNode) {
        if let strategy = node["defaultResolutionStrategy"] {
            readStrategy(strategy, into: ["resolverConfig", "project"])
        }
        let models = node["perModelResolutionStrategy"]
        guard models?.value.arrayValue?.count ?? 0 <= ProjectLimits.modelStrategiesMax else {
            return report(
                "At most \(ProjectLimits.modelStrategiesMax) models have a strategy of their own.", at: models?.place)
        }
        for element in models?.elements ?? [] {
            guard let model = element["entityName"]?.text, let strategy = element["resolutionStrategy"] else {
                report(
                    "'perModelResolutionStrategy' has a model without 'entityName' or 'resolutionStrategy'.",
                    at: element.place)
                continue
            }
            let path = ["resolverConfig", "models", model]
            project.settings.setPlace(path, (element["entityName"] ?? element).place)
            readStrategy(strategy, into: path)
        }
    }

    private func readStrategy(_ node: ProjectNode, into path: [String]) {
        let place = (node["type"] ?? node).place
        guard let type = node["type"]?.text, ["AUTOMERGE", "OPTIMISTIC_CONCURRENCY", "NONE", "LAMBDA"].contains(type)
        else {
            return report("'type' is AUTOMERGE, OPTIMISTIC_CONCURRENCY, LAMBDA or NONE.", at: place)
        }
        guard type != "NONE" else { return readNone(path, place) }
        set(path + ["ConflictDetection"], "VERSION", at: place)
        set(path + ["ConflictHandler"], .string(type), at: place)
        guard type == "LAMBDA" else { return }
        guard node["resolver"]?["type"]?.text != "NEW", let name = node["resolver"]?["name"] else {
            return report(
                "The conflict handler function does not exist yet.", at: node["resolver"]?.place ?? place,
                hint: "Run 'amplify push', which makes it, or write \"type\": \"EXISTING\" and its 'name'.")
        }
        setConflictFunction(name, path)
    }

    /// `ResolverConfig` of `transform.conf.json`.
    private func readResolverConfig(_ node: ProjectNode) {
        var parts = [(["resolverConfig", "project"], node["project"])]
        let models = node["models"]
        guard models?.value.objectValue?.count ?? 0 <= ProjectLimits.modelStrategiesMax else {
            return report(
                "At most \(ProjectLimits.modelStrategiesMax) models have a strategy of their own.", at: models?.place)
        }
        parts += (models?.members ?? []).map { (["resolverConfig", "models", $0.key], $0.node) }
        for (path, part) in parts {
            guard let part else { continue }
            if path.count > 2 { project.settings.setPlace(path, part.place) }
            let handler = part["ConflictHandler"]?.text
            if part["ConflictDetection"]?.text == "NONE" || handler == "NONE" {
                readNone(path, part.place)
                continue
            }
            for key in ["ConflictDetection", "ConflictHandler"] {
                if let value = part[key] { set(path + [key], value.value, at: value.place) }
            }
            if handler == "LAMBDA", let name = part["LambdaConflictHandler"]?["name"] {
                setConflictFunction(name, path)
            }
        }
    }

    /// An override needs detection and a handler: for one model NONE has no effect at Amplify.
    private func readNone(_ path: [String], _ place: Diagnostic.Place) {
        guard path.count > 2, let model = path.last else { return }
        row("api", model, .same, "NONE for one model has no effect, as at Amplify.", at: place)
    }

    private func setConflictFunction(_ node: ProjectNode, _ path: [String]) {
        guard let name = node.text else { return }
        if configuredName(of: name) == nil {
            row(
                "api", name, .notServed, "The conflict handler has no URL: conflicts fail with ConflictError.",
                at: node.place)
        }
        set(
            path + ["LambdaConflictHandler", "name"], .string(configuredName(of: name) ?? resourceName(of: name)),
            at: node.place)
    }
}
