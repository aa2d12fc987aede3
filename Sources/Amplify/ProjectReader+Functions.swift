import JSON
import Transformer

extension ProjectReader {
    /// Lists the functions of the project: they are called by the URLs of the configuration's `functions`.
    func readFunctions() {
        for resource in resources("function", "Lambda") {
            project.functions.append(resource.name)
            note("\(resource.folder)/function-parameters.json")
            if let name = configuredName(of: resource.name) {
                row(
                    "function", resource.name, .different,
                    "It is called at the URL of functions.\(name); its source is not executed.", at: resource.node.place
                )
            } else {
                row(
                    "function", resource.name, .notServed, "It has no URL: give one in functions.\(resource.name).",
                    at: resource.node.place)
                project.tasks.append("Give the URL of the function \(resource.name) in functions.\(resource.name).")
            }
        }
        listUnserved("function", except: ["Lambda"])
    }

    /// The name in `functions` of a function that the project names, with or without the environment; nil where no URL is
    /// given.
    func configuredName(of name: String) -> String? {
        let short = resourceName(of: name)
        let names = [name, inEnvironment(name), short, "\(short)-\(project.environment)"]
        return names.first { options.overrides["functions"]?[$0]?.stringValue != nil }
    }

    /// The name of a function without its environment.
    func resourceName(of name: String) -> String {
        for suffix in ["-${env}", "-\(project.environment)"] where name.hasSuffix(suffix) {
            return String(name.dropLast(suffix.count))
        }
        return name
    }
}
