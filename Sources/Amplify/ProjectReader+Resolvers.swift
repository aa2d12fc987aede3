import JSON
import Transformer

extension ProjectReader {
    /// `custom-roles.json`, and the functions that may call the API: their roles have access to all models with rules.
    func readRoles(_ resource: Resource) {
        var roles: [JSONValue] = []
        var place: Diagnostic.Place?
        if let node = file("\(resource.folder)/custom-roles.json")?["adminRoleNames"] {
            roles += node.texts.map { .string(inEnvironment($0)) }
            place = node.place
        }
        for function in resources("function", "Lambda") {
            guard
                let api = file("\(function.folder)/function-parameters.json")?[path: [
                    "permissions", "api", resource.name,
                ]]
            else { continue }
            roles.append(.string("\(function.name)-\(project.environment)"))
            place = place ?? api.place
        }
        guard !roles.isEmpty else { return }
        set(["transformParameters", "adminRoles"], .array(roles), at: place)
    }

    /// Resolver templates, stacks and overrides of resources, which are not served.
    func readLogic(_ resource: Resource) {
        project.apiFolder = folder.prefix + resource.folder
        for part in AmplifyProject.resolverFolders {
            for path in logicFiles("\(resource.folder)/\(part)")
            where AmplifyProject.resolverSuffixes.contains(where: path.hasSuffix) {
                reportLogicNotServed(
                    path,
                    "The resolver \(folder.prefix)\(path) is not served"
                        + (options.purpose == .serve ? "." : ": its field uses the generated resolver."))
            }
        }
        for path in logicFiles("\(resource.folder)/stacks") where path.hasSuffix(".json") {
            guard let resources = file(path)?["Resources"] else { continue }
            let logic = resources.members.filter {
                $0.node["Type"]?.text != "Custom::EmptyResource" && $0.key != "EmptyResource"
            }
            guard let first = logic.first else { continue }
            let appSync = logic.first { $0.node["Type"]?.text?.hasPrefix("AWS::AppSync::") == true }
            if let appSync {
                reportLogicNotServed(
                    path, "The stack \(folder.prefix)\(path) has \(appSync.key) of AppSync, which is not served.",
                    at: appSync.node.place)
            } else {
                row(
                    "api", path.lastName, .notServed, "The stack has \(first.key), which is not made here.",
                    at: first.node.place)
            }
        }
        reportOverride(in: resource.folder, "api")
    }

    /// The files in a folder of the API and in those below it. What a link out of the project leads to is not looked at, so that
    /// the link is an error: it might give fields other answers.
    private func logicFiles(_ path: String) -> [String] {
        let files = folder.kind(path) == .outside ? [path] : tree(path)
        for link in files where folder.kind(link) == .outside {
            note(link)
            report("\(folder.prefix)\(link) is a link that leaves the project.")
        }
        return files.filter { folder.kind($0) != .outside }
    }

    private func reportLogicNotServed(_ path: String, _ message: String, at place: Diagnostic.Place? = nil) {
        let effect =
            options.purpose == .serve
            ? "'syncline serve' does not start with it." : "Its field uses the generated resolver, or none."
        row("api", path.lastName, .notServed, effect, at: place, file: path)
        note(path)
        reportNotServed(message, at: place, hint: "Move it out of the project to serve what is generated without it.")
    }
}
