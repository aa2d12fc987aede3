import JSON

/// `functions`: the functions of the project by their names in Amplify, each with the URL at which it answers.
struct FunctionList: Sendable {
    private(set) var byName: [String: Function] = [:]

    mutating func read(_ section: ConfigurationSection) {
        for name in section.object.keys {
            guard let url = section.string(name) else { continue }
            let function = Function(name: name, url: url)
            byName[name] = function
            if !function.isCallable {
                section.report(
                    name, "'\(section.name(name))' is the URL of a function, http://… or https://…, and not \"\(url)\"."
                )
            }
        }
    }

    /// Notes the functions that nothing calls.
    func noteUnused(in section: ConfigurationSection, calledBy conflicts: ConflictFunctions) {
        let used = Set(conflicts.models.values).union([conflicts.project].compactMap(\.self))
        for function in byName.values.sorted(by: { $0.name < $1.name }) where !used.contains(function) {
            section.findings.notes.append("\(section.name(function.name)) decides no conflicts, and has no effect.")
        }
    }
}
