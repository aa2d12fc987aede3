import GraphQL
import JSON
import Transformer

extension ProjectReader {
    /// A flag's value, and what says it.
    private struct Value {
        var value: JSONValue
        var place: Diagnostic.Place?
    }

    /// Reads the feature flags of the environment: `cli.json`, `cli.<env>.json`, and variables, of which the last wins
    /// (reference: amplify-project, "Feature flags").
    func readFlags() {
        var values: [String: Value] = [:]
        let general = file("amplify/cli.json")
        let old = general == nil ? file("amplify.json") : nil
        for root in [general, file("amplify/cli.\(project.environment).json")] {
            if let root, root.value.objectValue == nil || root["features"].map({ $0.value.objectValue == nil }) ?? false
            {
                report("The file is an object, whose member 'features' is one of groups of flags.", at: root.place)
            }
            if let features = root?["features"] { readFeatures(features, into: &values) }
        }
        readVariables(into: &values)
        if general == nil, folder.kind("amplify/cli.json") == nil || folder.isFolder("amplify/cli.json") {
            project.lacksFlagFile = true
            row(
                "project", "cli.json", .different,
                "There is no amplify/cli.json: every flag has the value of an old project, and the transformer is version 1.",
                file: old == nil ? nil : "amplify.json")
            warn(
                "There is no \(folder.prefix)amplify/cli.json: every feature flag has the value of an old project, and the "
                    + "transformer is version 1.", hint: "The file is kept in git: check it out.")
        }
        let pipelined = values[FlagTable.pipelinedKey]
        set(
            ["transformerVersion"], pipelined?.value.boolValue == true ? 2 : 1,
            at: pipelined?.place ?? old?[FlagTable.transformer]?.place)
        for group in FlagTable.groups {
            for flag in group.flags {
                let found = values[group.key(of: flag)]
                let value = found?.value ?? .bool(flag.absent)
                let section = group.name == FlagTable.codegen ? "codegen" : "featureFlags"
                if flag.isSetting { set([section, flag.name], value, at: found?.place) }
            }
        }
    }

    private func readFeatures(_ features: ProjectNode, into values: inout [String: Value]) {
        for (groupName, members) in features.members {
            let groupKey = groupName.lowercased()
            if members.value.objectValue == nil {
                report("The group '\(groupName)' is an object of feature flags.", at: members.place)
            }
            for (name, node) in members.members {
                let key = FlagTable.key("\(groupKey).\(name)")
                if key == FlagTable.versionKey {
                    if ![1, 2].contains(node.value.intValue) {
                        report("'\(name)' is 1 or 2, and not \(node.value).", at: node.place)
                    }
                } else if groupKey == FlagTable.regions {
                    if !FlagTable.regionFlags.contains(name.lowercased()) { warnOfFlag(name, at: node.place) }
                } else if FlagTable.keys.contains(key) {
                    if node.bool == nil {
                        report("The feature flag '\(name)' is true or false, and not \(node.value).", at: node.place)
                    }
                    values[key] = Value(value: node.value, place: node.place)
                } else {
                    warnOfFlag(name, at: node.place)
                }
            }
        }
    }

    private func warnOfFlag(_ name: String, at place: Diagnostic.Place?) {
        let known = FlagTable.groups.flatMap { $0.flags.map(\.name) }
        warn(
            "unknown feature flag '\(name)': it has no effect.", at: place,
            hint: SuggestionList.hint(for: name, among: known))
    }

    /// `AMPLIFYCLI_<group>__<flag>` and `AMPLIFYCLI-<env>_<group>__<flag>`, of the process or of `.env`.
    private func readVariables(into values: inout [String: Value]) {
        var variables: [(name: String, value: String, place: Diagnostic.Place?)] = []
        note(".env")
        if folder.isFile(".env"), let bytes = try? folder.read(".env", ProjectLimits.fileBytesMax) {
            let text = String(decoding: bytes, as: UTF8.self)
            for (number, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
            {
                let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingSpace }
                guard parts.count == 2, parts[0].hasPrefix("AMPLIFYCLI") else { continue }
                let place = Diagnostic.Place(
                    sourceName: "\(folder.prefix).env", line: number + 1, column: 1, sourceLine: "")
                variables.append((parts[0], parts[1], place))
            }
        }
        for name in options.variables.keys.sorted() where name.hasPrefix("AMPLIFYCLI") {
            let place = Diagnostic.Place(sourceName: "env \(name)", line: 1, column: 1, sourceLine: "")
            variables.append((name, options.variables[name] ?? "", place))
        }
        let general = "AMPLIFYCLI_"
        let own = "AMPLIFYCLI-\(project.environment)_"
        for prefix in [general, own] {
            for variable in variables where variable.name.hasPrefix(prefix) {
                readVariable(
                    variable.name, variable.name.dropFirst(prefix.count), variable.value, variable.place, &values)
            }
        }
        for variable in variables
        where !variable.name.hasPrefix(general) && !variable.name.hasPrefix("AMPLIFYCLI-") {
            reportVariable(variable.name, variable.place)
        }
    }

    private func readVariable(
        _ name: String, _ rest: Substring, _ text: String, _ place: Diagnostic.Place?, _ values: inout [String: Value]
    ) {
        let parts = rest.split(separator: "__", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return reportVariable(name, place) }
        let key = FlagTable.key(parts.joined(separator: "."))
        let word = text.lowercased()
        if word == "true" || word == "false" {
            guard FlagTable.keys.contains(key) else { return warnOfFlag(name, at: nil) }
            values[key] = Value(value: .bool(word == "true"), place: place)
        } else if Int(text) == nil || FlagTable.keys.contains(key) {
            reportVariable(name, place)
        }
    }

    private func reportVariable(_ name: String, _ place: Diagnostic.Place?) {
        report(
            "The variable \(name) sets no feature flag.", at: place?.sourceName.hasPrefix("env ") == true ? nil : place,
            hint: "It is AMPLIFYCLI_GROUP__FLAG, or AMPLIFYCLI-ENVIRONMENT_GROUP__FLAG, with true or false.")
    }
}

extension Substring {
    /// The text without the blanks and quotes around it, as dotenv reads a line.
    fileprivate var trimmingSpace: String {
        func isAround(_ character: Character) -> Bool { character.isWhitespace || "\"'`".contains(character) }
        return String(drop(while: isAround).reversed().drop(while: isAround).reversed())
    }
}
