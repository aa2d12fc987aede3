import JSON
import Transformer

/// `functions`: the functions of the project by their names in Amplify, each with the URL at which it answers.
struct FunctionList: Sendable {
    private(set) var byName: [String: Function] = [:]
    private var places: [String: Diagnostic.Place] = [:]

    init(_ functions: [Function] = []) {
        byName = Dictionary(functions.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    }

    mutating func read(_ section: ConfigurationSection) {
        for name in section.object.keys {
            guard let url = section.string(name) else { continue }
            let function = Function(name: name, url: url)
            byName[name] = function
            places[name] = section.file.place(of: section.path + [name])
            if !function.isCallable {
                section.report(
                    name,
                    "'\(section.name(name))' is the URL of a function, http://… or https://…, and not "
                        + "\"\(Function.shown(url))\"."
                )
            }
        }
    }

    /// The function that a trigger of a user pool calls: by its name, by its ARN, which ends with the name, or by its URL.
    static func function(_ name: String, among functions: [String: Function]) -> Function? {
        let short = name.hasPrefix("arn:") ? String(name.split(separator: ":").last ?? "") : name
        return functions[name] ?? functions[short]
            ?? (name.hasPrefix("http://") || name.hasPrefix("https://") ? Function(name: name, url: name) : nil)
    }

    /// The URL of a trigger's function; nil if there is no such function.
    func url(of name: String) -> String? { Self.function(name, among: byName)?.url }

    /// Warns of the functions that nothing calls.
    func warnings(notIn used: Set<String>) -> [Diagnostic] {
        byName.keys.filter { !used.contains($0) }.sorted().map { name in
            Diagnostic(
                kind: "Warning",
                message:
                    "functions.\(name) is called by no field and no trigger, and decides no conflicts: it has no effect.",
                place: places[name])
        }
    }
}
