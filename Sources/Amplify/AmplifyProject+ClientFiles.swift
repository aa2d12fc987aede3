import JSON

extension AmplifyProject {
    /// The client files that ids of a project are read from where no other file has them, whether or not they exist.
    public static func clientFiles(of folder: ProjectFolder) -> [String] {
        let reader = ProjectReader(folder, ReadingOptions())
        guard markers.contains(where: { folder.kind($0) != nil }) else { return [outputs] }
        return reader.clientFileFolders.flatMap { folder in ProjectReader.clientFileNames.map { folder + $0 } }
    }

    /// The texts of the settings that have ids and keys, as the files of a project beside its client files give them, in all
    /// of its environments and with each of its APIs. Ids that are invented are among them: they are the same whenever the
    /// project is read.
    public static func idsWithoutClientFiles(of folder: ProjectFolder) -> Set<String> {
        let folder = folder.hiding(Set(clientFiles(of: folder)))
        var ids: Set<String> = []
        let environments = examine(folder, ReadingOptions()).project.environments
            .prefix(ProjectLimits.comparedEnvironmentsMax)
        for environment in environments.isEmpty ? [nil] : environments.map(Optional.some) {
            var project = examine(folder, ReadingOptions(environment: environment)).project
            collectIDs(of: project, into: &ids)
            // Of several APIs one has to be chosen.
            guard project.api == nil else { continue }
            for api in project.apis.prefix(ProjectLimits.comparedAPIsMax) {
                project = examine(folder, ReadingOptions(environment: environment, api: api)).project
                collectIDs(of: project, into: &ids)
            }
        }
        return ids
    }

    private static func collectIDs(of project: AmplifyProject, into ids: inout Set<String>) {
        for section in ["userPool", "identityPool", "storage", "analytics", "apiKey"] {
            if let value = project.settings.value[section] { collectTexts(of: value, into: &ids) }
        }
    }

    private static func collectTexts(of value: JSONValue, into texts: inout Set<String>) {
        if let text = value.stringValue { texts.insert(text) }
        for element in value.arrayValue ?? [] { collectTexts(of: element, into: &texts) }
        for (_, member) in value.objectValue ?? [:] { collectTexts(of: member, into: &texts) }
    }
}
