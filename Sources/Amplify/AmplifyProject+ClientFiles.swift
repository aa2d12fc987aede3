import JSON

extension AmplifyProject {
    /// The client files that ids of a project are read from where no other file has them, whether or not they exist.
    public static func clientFiles(of folder: ProjectFolder) -> [String] {
        let reader = ProjectReader(folder, ReadingOptions())
        guard markers.contains(where: { folder.kind($0) != nil }) else { return [outputs] }
        return reader.clientFileFolders.flatMap { folder in ProjectReader.clientFileNames.map { folder + $0 } }
    }

    /// The texts of the settings that have ids and keys, as the files of a project beside its client files give them, in all
    /// of its environments. Ids that are invented are among them: they are the same whenever the project is read.
    public static func idsWithoutClientFiles(of folder: ProjectFolder, _ options: ReadingOptions) -> Set<String> {
        let folder = folder.hiding(Set(clientFiles(of: folder)))
        var options = options
        var ids: Set<String> = []
        let environments = examine(folder, options).project.environments.prefix(ProjectLimits.comparedEnvironmentsMax)
        for environment in environments.isEmpty ? [options.environment] : environments.map(Optional.some) {
            options.environment = environment
            let settings = examine(folder, options).project.settings.value
            for section in ["userPool", "identityPool", "storage", "analytics", "apiKey"] {
                if let value = settings[section] { collectTexts(of: value, into: &ids) }
            }
        }
        return ids
    }

    private static func collectTexts(of value: JSONValue, into texts: inout Set<String>) {
        if let text = value.stringValue { texts.insert(text) }
        for element in value.arrayValue ?? [] { collectTexts(of: element, into: &texts) }
        for (_, member) in value.objectValue ?? [:] { collectTexts(of: member, into: &texts) }
    }
}
