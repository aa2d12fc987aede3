import JSON
import Transformer

/// Reads a project's files into an `AmplifyProject`; what is wrong is collected. Used by one task and thrown away.
final class ProjectReader {
    let folder: ProjectFolder
    let options: ReadingOptions
    var project = AmplifyProject()
    var errors: [Diagnostic] = []
    var isUsageError = false
    /// The resources of `backend-config.json`, in its order.
    var resources: [Resource] = []
    /// The part of `team-provider-info.json` of the environment.
    var teamProvider: ProjectNode?
    /// Ids of the environment; set once this and the region are known.
    var ids = CloudIDs()
    /// What ids the environment has if no client file is read; set where one is.
    var idsWithoutClientFiles: Set<String> = []
    private var cache: [String: LocatedJSON?] = [:]
    private var bytesLeft = ProjectLimits.bytesTotalMax

    /// The categories whose resources are read.
    static let readCategories: Set = ["api", "auth", "storage", "function", "analytics"]

    /// A resource of the backend.
    struct Resource {
        var category: String
        var name: String
        var service: String
        var node: ProjectNode
        var folder: String { "amplify/backend/\(category)/\(name)" }
    }

    init(_ folder: ProjectFolder, _ options: ReadingOptions) {
        (self.folder, self.options) = (folder, options)
        project.prefix = folder.prefix
    }

    func read() {
        let isGen1 = AmplifyProject.markers.contains { folder.kind($0) != nil }
        let isGen2 = (AmplifyProject.markersOfGen2 + [AmplifyProject.outputs]).contains { folder.kind($0) != nil }
        if !isGen1, isGen2 { return readGen2() }
        if let path = AmplifyProject.markersOfGen2.first(where: { folder.kind($0) != nil }) {
            warn("\(folder.prefix)\(path) is of Amplify Gen 2, and is not read: the project of Gen 1 is served.")
        }
        readProjectConfig()
        let teamProviders = file("amplify/team-provider-info.json")
        readResources()
        guard chooseEnvironment(teamProviders), chooseAPI() else {
            isUsageError = true
            return
        }
        readIDs(teamProviders)
        readFlags()
        readFunctions()
        readAuth()
        readAPI()
        readStorage()
        readAnalytics()
        readOthers()
        reportInventedIDs()
    }

    // MARK: Files

    /// A JSON file; nil where there is none or it is broken, which is reported once.
    func file(_ path: String) -> ProjectNode? {
        if let known = cache[path] { return known.map(ProjectNode.init) }
        note(path)
        let kind = folder.kind(path)
        let file = kind == .file || kind == .outside ? load(path) : nil
        cache[path] = .some(file)
        return file.map(ProjectNode.init)
    }

    /// Whether a file is there and cannot be read, which has been reported.
    func isBroken(_ path: String) -> Bool { file(path) == nil && folder.kind(path) != nil }

    /// Reads a JSON file; nil if it cannot be read or is broken, which is reported.
    private func load(_ path: String) -> LocatedJSON? {
        let name = folder.prefix + path
        let bytes: [UInt8]
        do {
            bytes = try folder.read(path, ProjectLimits.fileBytesMax)
        } catch {
            report("Cannot read \(name): \(error.reason).")
            return nil
        }
        bytesLeft -= bytes.count
        guard bytesLeft >= 0 else {
            report(
                "Cannot read \(name): the files of the project have more than "
                    + "\(ProjectLimits.bytesTotalMax >> 20) MiB together.")
            return nil
        }
        do {
            let file = try LocatedJSON(
                name: name, bytes: bytes, kind: "AmplifyProjectError", depthMax: ProjectLimits.depthMax)
            for key in file.repeated.prefix(ProjectLimits.findingsMax) {
                warn(
                    "The key '\(key.joined(separator: "."))' is there twice: its last value is used.",
                    at: file.place(of: key))
            }
            return file
        } catch {
            errors.append(error)
            return nil
        }
    }

    /// Adds a path to those that change the project.
    func note(_ path: String) { project.files.append(folder.prefix + path) }

    /// The files in a folder and in those below it, by name; hidden ones are left out. A folder that links show at several
    /// paths is listed once; a link that leaves the project is listed, and not followed.
    ///
    /// - Parameters:
    ///   - skipped: The names of folders that are left out.
    ///   - isWhole: Whether more files than are listed are an error, because one that is missed would be missing in what is
    ///     served; otherwise they are a warning.
    func tree(_ path: String, skipping skipped: Set<String> = [], isWhole: Bool = true) -> [String] {
        var seen: Set<String> = []
        var (files, folders) = ([String](), [(path: path, depth: 0)])
        while let (path, depth) = folders.popLast() {
            guard depth < ProjectLimits.folderDepthMax, folder.isFolder(path),
                seen.insert(folder.identity(path)).inserted
            else { continue }
            for name in folder.names(path) where !name.hasPrefix(".") && !skipped.contains(name) {
                guard files.count + folders.count < ProjectLimits.listedFilesMax else {
                    let message = "There are more than \(ProjectLimits.listedFilesMax) files in \(folder.prefix)\(path)"
                    isWhole
                        ? report("\(message).", hint: "Move what is no part of the project to another folder.")
                        : warn("\(message): the others are not looked at.")
                    return files.sorted()
                }
                let inner = "\(path)/\(name)"
                if folder.isFolder(inner) { folders.append((inner, depth + 1)) } else { files.append(inner) }
            }
        }
        return files.sorted()
    }

    /// Whether a text can be the name of a resource: such names become parts of paths.
    static func isName(_ text: String) -> Bool {
        (1...ProjectLimits.nameBytesMax).contains(text.utf8.count) && text != "." && text != ".."
            && !text.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 || $0.value == 0x7F }
    }

    /// Whether a text may name an environment: it becomes a folder, and a word of a command. Amplify makes shorter ones of
    /// small letters.
    static func isEnvironmentName(_ text: String) -> Bool {
        (1...ProjectLimits.environmentBytesMax).contains(text.utf8.count) && !text.hasPrefix("-")
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
    }

    /// Whether a text may name a region: it becomes a part of ids, addresses and names of hosts.
    static func isRegionName(_ text: String) -> Bool {
        (1...ProjectLimits.regionBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }

    // MARK: Findings

    func set(_ path: [String], _ value: JSONValue?, at place: Diagnostic.Place?) {
        project.settings.set(path, value, at: place)
    }

    func report(_ message: String, at place: Diagnostic.Place? = nil, hint: String? = nil) {
        add(Diagnostic(kind: "AmplifyProjectError", message: message, place: place, hint: hint), to: &errors)
    }

    func warn(_ message: String, at place: Diagnostic.Place? = nil, hint: String? = nil) {
        add(Diagnostic(kind: "Warning", message: message, place: place, hint: hint), to: &project.warnings)
    }

    private func add(_ diagnostic: Diagnostic, to list: inout [Diagnostic]) {
        guard list.count <= ProjectLimits.findingsMax else { return }
        var diagnostic = diagnostic
        diagnostic.message = Self.bounded(diagnostic.message)
        let isLast = list.count == ProjectLimits.findingsMax
        list.append(isLast ? Diagnostic(kind: diagnostic.kind, message: "Further ones are left out.") : diagnostic)
    }

    func row(
        _ category: String, _ name: String, _ status: ReportRow.Status, _ sentence: String,
        at place: Diagnostic.Place? = nil, file: String? = nil
    ) {
        guard project.rows.count < ProjectLimits.findingsMax else { return }
        project.rows.append(
            ReportRow(
                category: category, name: Self.bounded(name), status: status, sentence: Self.bounded(sentence),
                file: place?.sourceName ?? file.map { folder.prefix + $0 }, line: place?.line))
    }

    /// A text of a message, which may have one of the project of any length.
    private static func bounded(_ text: String) -> String {
        guard text.utf8.count > ProjectLimits.messageBytesMax else { return text }
        return String(decoding: text.utf8.prefix(ProjectLimits.messageBytesMax), as: UTF8.self) + "…"
    }

    /// Adds a row for each resource of a category whose service is not served.
    func listUnserved(_ category: String, except services: Set<String>) {
        for resource in resources where resource.category == category && !services.contains(resource.service) {
            row(category, resource.name, .notServed, "\(resource.service) is not served.", at: resource.node.place)
        }
    }

    /// What is not served: an error for `serve`, a warning for others.
    func reportNotServed(_ message: String, at place: Diagnostic.Place? = nil, hint: String) {
        options.purpose == .serve ? report(message, at: place, hint: hint) : warn(message, at: place, hint: hint)
    }

    /// Whether the configuration file says something at a path of keys.
    func isOverridden(_ path: String...) -> Bool {
        var value: JSONValue? = .object(options.overrides)
        for key in path { value = value?[key] }
        return value.map { !$0.isNull } ?? false
    }

    // MARK: The project

    private func readProjectConfig() {
        let path = AmplifyProject.projectConfig
        guard let node = file(path) else {
            if folder.kind(path) == nil {
                warn(
                    "There is no \(folder.prefix)\(path): the folder is read as a project of Amplify Gen 1 anyway.",
                    hint: "The file is kept in git: check it out, or run 'amplify init'.")
            }
            return
        }
        project.name = node["projectName"]?.text ?? ""
        if project.name.utf8.count > ProjectLimits.nameBytesMax {
            report(
                "A name of a project has at most \(ProjectLimits.nameBytesMax) bytes.", at: node["projectName"]?.place)
            project.name = ""
        }
        project.frontend = node["frontend"]?.text
        guard let version = node["version"] else { return }
        let text = version.text ?? version.value.description
        let digits = text.prefix { $0.isNumber }
        // More digits than a number has are those of a later version.
        let major = Int(digits) ?? (digits.isEmpty ? 0 : .max)
        if major < 3 {
            report(
                "The project is of version \(text), from before 2019, which is not served.", at: version.place,
                hint: "Run a command of Amplify CLI 4, such as 'amplify status': it migrates the project to 3.0.")
        } else if major > 3 {
            warn("The project is of the unknown version \(text): it is read as 3.1.", at: version.place)
        }
    }

    private func readResources() {
        let path = AmplifyProject.backendConfig
        guard let root = file(path) else {
            guard !isBroken(path) else { return readResourcesOfFolders() }
            return report(
                "There is no \(folder.prefix)\(path), which lists the resources of the project.",
                hint: "Check out the whole project, or name its folder with --amplify; --no-amplify serves without it.")
        }
        guard root.value.objectValue != nil else {
            return report("The file is an object that lists the resources of each category.", at: root.place)
        }
        for (category, members) in root.members where category != "parameters" && category != "providers" {
            for (name, node) in members.members {
                guard resources.count < ProjectLimits.resourcesMax else {
                    return report("A project has at most \(ProjectLimits.resourcesMax) resources.", at: node.place)
                }
                guard Self.isName(name), Self.isName(category) else {
                    report(
                        "A name of a resource has 1 to \(ProjectLimits.nameBytesMax) bytes, and no '/', '\\' or control "
                            + "character.", at: node.place)
                    continue
                }
                let resource = Resource(
                    category: category, name: name, service: node["service"]?.text ?? "", node: node)
                resources.append(resource)
                if Self.readCategories.contains(category), !folder.isFolder(resource.folder) {
                    report(
                        "backend-config.json names \(category).\(name), and there is no folder "
                            + "\(folder.prefix)\(resource.folder).", at: node.place,
                        hint: "Check out the whole project, or remove the resource with 'amplify remove \(category)'.")
                }
            }
        }
        let known = Set(resources.map(\.folder))
        for category in folder.names("amplify/backend") where folder.isFolder("amplify/backend/\(category)") {
            guard Self.readCategories.contains(category) else { continue }
            for name in folder.names("amplify/backend/\(category)")
            where folder.isFolder("amplify/backend/\(category)/\(name)")
                && !known.contains("amplify/backend/\(category)/\(name)")
            {
                row(
                    category, name, .notNeeded, "The folder is no resource of backend-config.json: it is ignored.",
                    file: "amplify/backend/\(category)/\(name)")
            }
        }
    }

    /// Takes the resources that folders show, where the file that lists them is broken: what else is wrong is then found, and what
    /// is there is not reported as absent.
    private func readResourcesOfFolders() {
        let path = folder.prefix + AmplifyProject.backendConfig
        guard let empty = try? LocatedJSON(name: path, bytes: Array("{}".utf8), kind: "") else { return }
        for category in Self.readCategories.sorted() {
            for name in folder.names("amplify/backend/\(category)").prefix(ProjectLimits.resourcesMax)
            where Self.isName(name) && folder.isFolder("amplify/backend/\(category)/\(name)") {
                guard let service = serviceOfFolder(category, name) else { continue }
                resources.append(
                    Resource(category: category, name: name, service: service, node: ProjectNode(empty)))
            }
        }
    }

    private func serviceOfFolder(_ category: String, _ name: String) -> String? {
        let path = "amplify/backend/\(category)/\(name)"
        func has(_ name: String) -> Bool { folder.kind("\(path)/\(name)") != nil }
        switch category {
        case "api": return has("schema.graphql") || has("schema") ? "AppSync" : nil
        case "auth": return name == "userPoolGroups" ? "Cognito-UserPool-Groups" : "Cognito"
        case "function": return has("src") ? "Lambda" : nil
        case "storage":
            let inputs = file("\(path)/cli-inputs.json") ?? file("\(path)/parameters.json")
            return inputs?["bucketName"] == nil ? nil : "S3"
        default: return "Pinpoint"
        }
    }

    func resources(_ category: String, _ service: String) -> [Resource] {
        resources.filter { $0.category == category && $0.service == service }
    }

    // MARK: Choices

    /// Chooses the environment; false if the caller has to.
    private func chooseEnvironment(_ teamProviders: ProjectNode?) -> Bool {
        let names = teamProviders?.members.map(\.key) ?? []
        project.environments = names
        let local = file("amplify/.config/local-env-info.json")?["envName"]
        let list = names.joined(separator: ", ")
        if let asked = options.environment {
            if names.isEmpty {
                warn("No file of the project lists its environments: using '\(asked)' as given.")
            } else if !names.contains(asked) {
                report("The project has no environment '\(asked)'.", hint: "Its environments are \(list).")
                return false
            }
            project.environment = asked
        } else if let name = local?.text {
            if !names.isEmpty, !names.contains(name) {
                report(
                    "The project has no environment '\(name)', which is checked out.", at: local?.place,
                    hint: "Name one with --env: \(list).")
                return false
            }
            project.environment = name
        } else if names.count == 1 {
            project.environment = names[0]
        } else if names.contains("dev") {
            project.environment = "dev"
        } else if let first = names.first {
            guard options.purpose == .develop else {
                report(
                    "The project has several environments, and none is checked out.",
                    hint: "Name one with --env: \(list).")
                return false
            }
            warn(
                "The project has several environments: '\(first)', the first one, is served.",
                hint: "--env NAME: \(list)")
            project.environment = first
        } else {
            project.environment = "dev"
            warn("No file of the project names an environment: using 'dev'.", hint: "Name one with --env.")
        }
        guard checkEnvironmentName(at: options.environment == nil ? local?.place : nil) else { return false }
        teamProvider = teamProviders?[project.environment]
        // What asked for it, if anything did, is known to the caller.
        let source = local?.text == nil ? teamProvider : local
        set(["environmentName"], .string(project.environment), at: options.environment == nil ? source?.place : nil)
        return true
    }

    /// Whether the name of the chosen environment is one, which is reported if not. The configuration may not give another.
    func checkEnvironmentName(at place: Diagnostic.Place? = nil) -> Bool {
        let isName = Self.isEnvironmentName(project.environment)
        if !isName {
            report(
                "A name of an environment has 1 to \(ProjectLimits.environmentBytesMax) letters, digits, '-' and '_', and "
                    + "does not begin with '-'.", at: place, hint: "Name one with --env.")
        }
        // Ids and data would be those of one environment, and ${env} another.
        if let name = options.overrides["environmentName"]?.stringValue, name != project.environment {
            report(
                "'environmentName' of the configuration is '\(name)', and the environment of the Amplify project is "
                    + "'\(project.environment)'.",
                hint: "Remove 'environmentName', and name the environment with 'amplify.environment' or --env.")
        }
        return isName
    }

    /// Chooses the GraphQL API; false if the caller has to.
    private func chooseAPI() -> Bool {
        let names = resources("api", "AppSync").map(\.name)
        project.apis = names
        if let asked = options.api {
            guard names.contains(asked) else {
                report(
                    "The project has no GraphQL API '\(asked)'.",
                    hint: names.isEmpty ? nil : "It has \(names.joined(separator: ", ")).")
                return false
            }
            project.api = asked
        } else if names.count > 1 {
            report(
                "The project has several GraphQL APIs.", hint: "Name one with --api: \(names.joined(separator: ", ")).")
            return false
        } else {
            project.api = names.first
        }
        return true
    }

    /// A value that differs by environment.
    func parameters(of resource: Resource) -> ProjectNode? {
        teamProvider?[path: ["categories", resource.category, resource.name]]
    }

    /// A text with its `${env}` replaced.
    func inEnvironment(_ text: String) -> String { text.replacing("${env}", with: project.environment) }
}
