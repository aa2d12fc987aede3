import JSON
import Transformer

extension ProjectReader {
    /// Finds the ids and the region of the environment.
    func readIDs(_ teamProviders: ProjectNode?) {
        let stack = teamProvider?[path: ["awscloudformation", "StackName"]]?.text
        let local = file("amplify/.config/local-env-info.json")?["envName"]?.text
        var isForeign = false
        for path in ["amplify/backend/amplify-meta.json", "amplify/#current-cloud-backend/amplify-meta.json"] {
            guard let meta = file(path) else { continue }
            let deployed = meta[path: ["providers", "awscloudformation", "StackName"]]?.text
            let isOurs = teamProviders == nil ? local == project.environment : deployed != nil && deployed == stack
            if isOurs {
                ids.meta = meta
                break
            }
            guard deployed != nil || teamProviders == nil else {
                row(
                    "project", "amplify-meta.json", .different,
                    "\(path) names no stack, so that it is not known of which environment it is: it is not used.",
                    file: path)
                continue
            }
            let owner = teamProviders?.members.first {
                $0.node[path: ["awscloudformation", "StackName"]]?.text == deployed
            }?.key
            isForeign = true
            row(
                "project", "amplify-meta.json", .different,
                "amplify-meta.json is of \(owner.map { "environment '\($0)'" } ?? "another environment"): none of its ids is "
                    + "used for '\(project.environment)'.",
                file: path)
            break
        }
        let known =
            teamProvider?[path: ["awscloudformation", "Region"]]
            ?? ids.meta?[path: ["providers", "awscloudformation", "Region"]]
        // With several environments and none checked out, nothing says of which one a client file is.
        let isOnlyOne = local == nil && project.environments.count <= 1
        let clientFiles = !isForeign && (local == project.environment || isOnlyOne)
        var place = known?.place
        if let region = known?.text {
            project.region = region
            if clientFiles, ids.meta == nil { readClientFiles(region: region) }
        } else {
            if clientFiles { readClientFiles(region: nil) }
            let pool = ids.client[.userPool]
            place = pool?.place
            project.region = pool.map { String($0.text.prefix { $0 != "_" }) } ?? project.region
            if pool == nil { warn("No file of the project names a region: using \(project.region).") }
        }
        takeRegion(project.region, at: place)
        set(["region"], .string(project.region), at: place)
        (ids.project, ids.environment, ids.region) = (project.name, project.environment, project.region)
        project.hasCloudIDs = ids.meta != nil || !ids.client.isEmpty
    }

    /// Takes the region that files name; another one is an error with its place.
    func takeRegion(_ region: String, at place: Diagnostic.Place?) {
        guard !Self.isRegionName(region) else {
            project.region = region
            return
        }
        report(
            "A region has 1 to \(ProjectLimits.regionBytesMax) small letters, digits and '-', as us-east-1 has.",
            at: place)
        project.region = AmplifyProject().region
    }

    /// Reports that all ids are invented. Called after all resources are read: those of an imported one are known, too.
    func reportInventedIDs() {
        guard !project.hasCloudIDs else { return }
        row(
            "project", "ids", .different,
            "No ids of AWS are known for '\(project.environment)': they are invented, the same at each start. Apps need new client files."
        )
        project.tasks.append("Give the apps client files with the invented ids: none of AWS were found.")
    }

    /// The client files that ids are read from.
    static let clientFileNames = ["amplifyconfiguration.json", "awsconfiguration.json"]

    /// The paths of the client files.
    var clientFiles: [String] { clientFileFolders.flatMap { folder in Self.clientFileNames.map { folder + $0 } } }

    /// The folders in which client files lie: empty, or ending in `/`.
    var clientFileFolders: [String] {
        let config = file(AmplifyProject.projectConfig)
        let source = config?[path: ["javascript", "config", "SourceDir"]]?.text
        let resources = config?[path: ["android", "config", "ResDir"]]?.text
        return [""]
            + [source.map { "\($0)/" }, resources.map { "\($0)/raw/" }].compactMap(\.self)
            .filter { !$0.hasPrefix("/") && !$0.contains("..") }
    }

    /// Reads `awsconfiguration.json` and `amplifyconfiguration.json` beside the project. 'syncline pull' writes such files, too, of
    /// any environment: one with ids of another environment is not read, and an id that is known or made without these files
    /// is none of the cloud.
    private func readClientFiles(region: String?) {
        let paths = clientFiles
        guard paths.contains(where: folder.isFile) else { return }
        let plain = folder.hiding(Set(paths))
        let own = AmplifyProject.ids(of: plain, in: project.environment, api: project.api)
        let others = project.environments.filter { $0 != project.environment }
            .prefix(ProjectLimits.comparedEnvironmentsMax)
            .reduce(into: Set<String>()) { $0.formUnion(AmplifyProject.ids(of: plain, in: $1, api: project.api)) }
            .subtracting(own)
        idsWithoutClientFiles = own
        func isOfOther(_ root: ProjectNode) -> Bool {
            AmplifyProject.texts(in: root.value).contains(where: others.contains)
        }
        for folder in clientFileFolders {
            if let root = file("\(folder)amplifyconfiguration.json"), !isOfOther(root) {
                let apis = root[path: ["api", "plugins", "awsAPIPlugin"]]
                if let apis, let api = project.api, apis[api] == nil { continue }
                let auth = root[path: ["auth", "plugins", "awsCognitoAuthPlugin"]]
                let storage = root[path: ["storage", "plugins", "awsS3StoragePlugin"]]
                // Pinpoint is not in every region: its own one proves nothing.
                let pool = auth?[path: ["CognitoUserPool", "Default"]]
                let regions =
                    [pool?["Region"]?.text, storage?["region"]?.text].compactMap(\.self)
                    + (apis?.members ?? []).compactMap { $0.node["region"]?.text }
                guard let expected = region ?? regions.first, regions.allSatisfy({ $0 == expected }) else { continue }
                take(storage?["bucket"], .bucket)
                if let auth { takeClientFile(auth, region) }
                let analytics = root[
                    path: ["analytics", "plugins", "awsPinpointAnalyticsPlugin", "pinpointAnalytics"]]
                take(analytics?["appId"], .app)
                take(analytics?["region"], .appRegion)
                take(project.api.flatMap { apis?[$0]?["endpoint"] }, .endpoint)
            }
            if let root = file("\(folder)awsconfiguration.json"), !isOfOther(root) { takeClientFile(root, region) }
        }
    }

    private func takeClientFile(_ root: ProjectNode, _ region: String?) {
        let pool = root[path: ["CognitoUserPool", "Default"]]
        let api = root[path: ["AppSync", "Default"]]
        let regions = [pool, api].compactMap { $0?["Region"]?.text }
        guard let region = region ?? regions.first, regions.allSatisfy({ $0 == region }) else { return }
        if let prefix = api?["ClientDatabasePrefix"]?.text, let name = project.api, !prefix.hasPrefix("\(name)_") {
            return
        }
        take(pool?["PoolId"], .userPool)
        take(pool?["AppClientId"], .nativeClient)
        take(pool?["AppClientSecret"], .nativeSecret)
        take(root[path: ["CredentialsProvider", "CognitoIdentity", "Default", "PoolId"]], .identityPool)
        take(root[path: ["PinpointAnalytics", "Default", "AppId"]], .app)
        take(root[path: ["PinpointAnalytics", "Default", "Region"]], .appRegion)
        take(root[path: ["S3TransferUtility", "Default", "Bucket"]], .bucket)
        take(api?["ApiKey"], .apiKey)
        take(api?["ApiUrl"], .endpoint)
    }

    /// Sets the endpoint that the API has at AppSync, to which clients connect that are not configured for this server.
    func setEndpoint(_ known: (text: String, place: Diagnostic.Place)?) {
        guard let known, Self.isAppSyncEndpoint(known.text) else { return }
        set(["appSyncEndpoint"], .string(known.text), at: known.place)
    }

    /// Whether a URL is AppSync's own. An API with a domain of its own is reached by that.
    private static func isAppSyncEndpoint(_ url: String) -> Bool {
        guard url.hasPrefix("https://") else { return false }
        let host = url.dropFirst(8).prefix { $0 != "/" }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let suffix = labels.dropFirst(3).joined(separator: ".")
        return labels.count >= 5 && labels[1] == "appsync-api" && !labels[0].isEmpty && isRegionName(String(labels[2]))
            && suffix == (labels[2].hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com")
    }

    private func take(_ node: ProjectNode?, _ kind: CloudIDs.Kind) {
        guard ids.client[kind] == nil, hasResource(of: kind), let node, let text = node.text,
            !idsWithoutClientFiles.contains(text),
            text != AmplifyProject.keyOfMock
        else { return }
        // What `syncline pull` has written names this server, and the region of an app is of use with its id alone.
        if kind == .endpoint, !Self.isAppSyncEndpoint(text) { return }
        if kind == .appRegion, ids.client[.app] == nil { return }
        ids.client[kind] = (text, node.place)
    }

    /// Whether the project has what an id is of: `syncline pull` writes what `dev` adds, too.
    private func hasResource(of kind: CloudIDs.Kind) -> Bool {
        switch kind {
        case .userPool, .webClient, .nativeClient, .nativeSecret, .identityPool: !resources("auth", "Cognito").isEmpty
        case .app, .appRegion: !resources("analytics", "Pinpoint").isEmpty
        case .bucket: !resources("storage", "S3").isEmpty
        case .apiKey, .endpoint: project.api != nil
        }
    }

    /// An id that no file has.
    func invented(_ kind: CloudIDs.Kind, of resource: Resource) -> String {
        let id = ids.invented(kind, of: resource.name)
        project.inventedIDs.insert(id)
        return id
    }

    /// An id: of AWS, of the environment's parameters, of a client file, or invented.
    ///
    /// - Parameters:
    ///   - output: Its key among the outputs of the resource.
    ///   - parameter: Its key in `team-provider-info.json`, where the resource was imported.
    func id(
        _ kind: CloudIDs.Kind, of resource: Resource, output: String, parameter: String? = nil
    ) -> (text: String, place: Diagnostic.Place?, isKnown: Bool) {
        if let node = ids.output(resource.category, resource.name, output), let text = node.text {
            return (text, node.place, true)
        }
        if let parameter, let node = parameters(of: resource)?[parameter], let text = node.text {
            return (text, node.place, true)
        }
        if let known = ids.client[kind] { return (known.text, known.place, true) }
        return (invented(kind, of: resource), nil, false)
    }
}
