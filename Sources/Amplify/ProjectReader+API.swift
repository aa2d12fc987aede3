import JSON
import Transformer

extension ProjectReader {
    /// Reads the GraphQL API: its schema, modes, keys, conflict resolution and transformer configuration.
    func readAPI() {
        listUnserved("api", except: ["AppSync"])
        for resource in resources("api", "AppSync") where resource.name != project.api {
            row("api", resource.name, .notServed, "--api \(project.api ?? "") was chosen.", at: resource.node.place)
        }
        guard let resource = resources("api", "AppSync").first(where: { $0.name == project.api }) else {
            // A schema that the configuration names is served in its place.
            guard !isOverridden("schema") else { return }
            row("api", "GraphQL", .notServed, "The project has none: users, files and events are served.")
            return set(["schema"], false, at: nil)
        }
        guard folder.isFolder(resource.folder) else { return }
        readSchema(resource)
        let inputs = file("\(resource.folder)/cli-inputs.json")
        checkVersion(inputs?["version"])
        readTransformConfig(resource, inputs?["serviceConfiguration"])
        let parametersInFile = parametersFile("\(resource.folder)/parameters.json", isRead: { $0 == "CreateAPIKey" })
        if let key = parameters(of: resource)?["CreateAPIKey"] ?? parametersInFile?["CreateAPIKey"], key.integer != 1 {
            project.createsAPIKey = false
            project.settings.setPlace(["apiKey"], key.place)
            row("api", "CreateAPIKey", .same, "No API key is made.", at: key.place)
        }
        if let parameters = parametersInFile {
            row(
                "api", "parameters.json", .notNeeded, "Billing, encryption and sizes have no meaning here.",
                at: parameters.place)
        }
        let endpoint = ids.output("api", resource.name, "GraphQLAPIEndpointOutput")
        setEndpoint(endpoint.flatMap { node in node.text.map { ($0, node.place) } } ?? ids.client[.endpoint])
        readModes(resource, inputs?["serviceConfiguration"])
        readRoles(resource)
        readLogic(resource)
        guard !isBroken("\(resource.folder)/cli-inputs.json") else { return }
        let version = project.settings.value["transformerVersion"]?.intValue ?? 1
        row(
            "api", resource.name, .same, "The schema is served by version \(version) of the transformer.",
            at: resource.node.place)
    }

    func checkVersion(_ version: ProjectNode?) {
        guard let version, let number = version.integer, number > 1 else { return }
        warn("cli-inputs.json is of the unknown version \(number): it is read as 1.", at: version.place)
    }

    private func readSchema(_ resource: Resource) {
        let path = "\(resource.folder)/schema.graphql"
        let split = "\(resource.folder)/schema"
        note(path)
        if folder.isFile("schema.graphql"), !isOverridden("schema") {
            warn("\(folder.prefix)schema.graphql is not read: the schema of the Amplify project is served.")
        }
        if folder.kind(path) == .outside || folder.kind(split) == .outside {
            report("The schema of the API \(resource.name) is a link that leaves the project.", at: resource.node.place)
        } else if folder.isFile(path) {
            set(["schema"], .string(folder.prefix + path), at: place(ofFile: path))
        } else if folder.isFolder(split) {
            set(["schema"], .string(folder.prefix + split), at: place(ofFile: split))
            checkSplitSchema(split)
        } else {
            report(
                "The API \(resource.name) has no schema: there is neither \(folder.prefix)\(path) nor a folder "
                    + "\(folder.prefix)\(split).", at: resource.node.place)
        }
    }

    /// Amplify reads every file of the folder; here those of GraphQL are read.
    private func checkSplitSchema(_ path: String) {
        for file in tree(path) {
            if folder.kind(file) == .outside {
                report("\(folder.prefix)\(file) is a link that leaves the project.")
            } else if !file.hasSuffix(".graphql") {
                row(
                    "api", file.lastName, .notServed, "The file is not read: its name does not end in .graphql.",
                    file: file)
                warn("\(folder.prefix)\(file) is not read: its name does not end in .graphql.")
            }
        }
    }

    func place(ofFile path: String) -> Diagnostic.Place {
        Diagnostic.Place(sourceName: folder.prefix + path, line: 1, column: 1, sourceLine: "")
    }
}

extension String {
    var lastName: String { String(split(separator: "/").last ?? "") }
}
