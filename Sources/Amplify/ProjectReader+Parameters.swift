import JSON

extension ProjectReader {
    /// A file of parameters for CloudFormation, in which a value may refer to another one (AWS CloudFormation, "Ref" and
    /// "Fn::GetAtt"): one that is known takes its place, and another one is left out.
    ///
    /// - Parameter isRead: Whether a parameter has an effect here, so that its loss is a warning.
    func parametersFile(_ path: String, isRead: (String) -> Bool = { _ in true }) -> ProjectNode? {
        guard let root = file(path), let object = root.value.objectValue else { return file(path) }
        var plain = object
        for (key, value) in object {
            guard let reference = Reference(value) else { continue }
            let text = resolved(reference, among: object)
            plain[key] = text.map(JSONValue.string)
            if text == nil, isRead(key), let node = root[key] {
                warn(
                    "The value of '\(key)' refers to \(reference.name), which no file of the project has: it is left out.",
                    at: node.place, hint: "Write the value itself into \(Self.configurationName).")
            }
        }
        return root.replacing(.object(plain))
    }

    private static let configurationName = "config/syncline.json"

    /// A value of CloudFormation that stands for another one.
    private enum Reference {
        case parameter(String)
        case output(stack: String, name: String)
        case function(String)

        init?(_ value: JSONValue) {
            guard let object = value.objectValue, object.count == 1, let (key, argument) = object.first else {
                return nil
            }
            switch key {
            case "Ref": self = .parameter(argument.stringValue ?? "")
            case "Fn::GetAtt":
                let parts =
                    argument.arrayValue?.compactMap(\.stringValue)
                    ?? argument.stringValue?.split(separator: ".", maxSplits: 1).map(String.init) ?? []
                self = .output(stack: parts.first ?? "", name: parts.dropFirst().joined(separator: "."))
            case _ where key.hasPrefix("Fn::"): self = .function(key)
            default: return nil
            }
        }

        var name: String {
            switch self {
            case .parameter(let name): "'\(name)'"
            case .output(let stack, let name): "'\(stack).\(name)'"
            case .function(let name): "the result of \(name)"
            }
        }
    }

    private func resolved(_ reference: Reference, among parameters: JSONObject) -> String? {
        switch reference {
        case .function: return nil
        case .output(let stack, let name):
            let attribute = name.hasPrefix("Outputs.") ? String(name.dropFirst("Outputs.".count)) : name
            return resources.first { "\($0.category)\($0.name)" == stack }
                .flatMap { ids.output($0.category, $0.name, attribute)?.text }
        case .parameter("env"): return project.environment
        case .parameter("AWS::Region"): return project.region
        case .parameter("AWS::StackName"): return teamProvider?[path: ["awscloudformation", "StackName"]]?.text
        case .parameter("AWS::AccountId"):
            // arn:aws:cloudformation:REGION:ACCOUNT:stack/NAME/ID
            let parts = teamProvider?[path: ["awscloudformation", "StackId"]]?.text?.split(separator: ":")
            return parts.flatMap { $0.count > 4 ? String($0[4]) : nil }
        case .parameter(let name):
            if let text = parameters[name]?.stringValue { return text }
            // The output of a resource that this one depends on: its category, name and attribute in one word.
            for resource in resources where name.hasPrefix(resource.category + resource.name) {
                let attribute = String(name.dropFirst(resource.category.count + resource.name.count))
                if let text = ids.output(resource.category, resource.name, attribute)?.text { return text }
            }
            return nil
        }
    }
}
