public import JSON

extension AmplifyProject {
    /// The client files that ids of a project are read from where no other file has them, whether or not they exist.
    public static func clientFiles(of folder: ProjectFolder) -> [String] {
        let reader = ProjectReader(folder, ReadingOptions())
        guard markers.contains(where: { folder.kind($0) != nil }) else { return [outputs] }
        return reader.clientFiles
    }

    /// Whether an `amplify_outputs.json` is of a server, as `syncline pull` writes it: its API has another address than those of
    /// AppSync. Where it names no API, it is taken for one of the cloud.
    public static func isOfServer(outputs: JSONValue) -> Bool {
        guard let url = outputs["data"]?["url"]?.stringValue, let start = url.firstRange(of: "://")?.upperBound else {
            return false
        }
        let host = url[start...].prefix { !"/:?#".contains($0) }.lowercased()
        return !host.hasSuffix(".amazonaws.com") && !host.hasSuffix(".amazonaws.com.cn")
    }

    /// The ids, keys and secrets of a project, as its files beside the client files give them, in all of its
    /// environments and with each of its APIs. Ids that are invented are among them: they are the same whenever the
    /// project is read.
    public static func idsWithoutClientFiles(of folder: ProjectFolder) -> Set<String> {
        let folder = folder.hiding(Set(clientFiles(of: folder)))
        var ids: Set<String> = []
        let environments = examine(folder, ReadingOptions()).project.environments
            .prefix(ProjectLimits.comparedEnvironmentsMax)
        for environment in environments.isEmpty ? [nil] : environments.map(Optional.some) {
            ids.formUnion(self.ids(of: folder, in: environment))
        }
        return ids
    }

    /// The ids and keys of one environment.
    ///
    /// - Parameter api: The API that was chosen; nil for each of those that the project has.
    static func ids(of folder: ProjectFolder, in environment: String?, api: String? = nil) -> Set<String> {
        var ids: Set<String> = []
        var project = examine(folder, ReadingOptions(environment: environment, api: api)).project
        collectIDs(of: project, into: &ids)
        // Of several APIs one has to be chosen.
        guard project.api == nil else { return ids }
        for api in project.apis.prefix(ProjectLimits.comparedAPIsMax) {
            project = examine(folder, ReadingOptions(environment: environment, api: api)).project
            collectIDs(of: project, into: &ids)
        }
        return ids
    }

    private static func collectIDs(of project: AmplifyProject, into ids: inout Set<String>) {
        let settings = project.settings.value
        let (pool, storage) = (settings["userPool"], settings["storage"])
        var values = [
            pool?["id"], settings["identityPool"]?["id"], storage?["name"], settings["analytics"]?["appId"],
        ]
        values += (pool?["clients"]?.arrayValue ?? []).flatMap { [$0["id"], $0["secret"]] }
        values += (storage?["buckets"]?.arrayValue ?? []).map { $0["name"] }
        values += (settings["apiKey"]?.arrayValue ?? []).map { $0["key"] }
        ids.formUnion(values.compactMap { $0?.stringValue })
    }

    /// The texts of a value and of all values in it.
    static func texts(in value: JSONValue) -> [String] {
        [value.stringValue].compactMap(\.self) + (value.arrayValue ?? []).flatMap(texts)
            + (value.objectValue ?? [:]).flatMap { texts(in: $0.value) }
    }
}
