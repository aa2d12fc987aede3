import Codegen
import Server

/// What `--target` names: a language that a verb generates, or one that is refused by its name.
struct TargetName {
    /// The verbs that have the option.
    enum Verb: String {
        case models, statements, types
    }

    let name: String
    let verb: Verb

    init(_ name: String, of verb: Verb) { (self.name, self.verb) = (name, verb) }

    /// The target of this name, regardless of case.
    func target<Target: RawRepresentable>(of targets: [Target]) throws(ServerError) -> Target
    where Target.RawValue == String {
        if let target = targets.first(where: { $0.rawValue == name.lowercased() }) { return target }
        let names = targets.map(\.rawValue)
        let list = "\(names.dropLast().joined(separator: ", ")) or \(names.last ?? "")"
        guard let language = Self.refused[name.lowercased()] else {
            throw ServerError(.usage, "--target is \(list), and not \"\(name)\".")
        }
        throw ServerError(.usage, "--target is \(list); \(language) is not generated.", hint: hint)
    }

    /// The languages of Amplify's generators that are not generated here.
    private static let refused = [
        "kotlin": "Kotlin", "java": "Java", "dart": "Dart", "android": "Java", "flutter": "Dart", "flow": "Flow",
        "angular": "Angular",
    ]

    private var hint: String {
        switch (verb, name.lowercased()) {
        case (.models, "java"), (.models, "kotlin"), (.models, "android"):
            "Apps for Android take the models of the Amplify CLI as they are: amplify codegen models --target java."
        case (.models, "dart"), (.models, "flutter"):
            "Apps of Flutter take the models of the Amplify CLI as they are: amplify codegen models --target dart."
        case (_, "angular"): "The documents of --target graphql and the types of --target typescript serve Angular."
        case (_, "flow"): "The constants of --target javascript work with Flow, without types."
        default: "Generators for it read documents: 'syncline codegen statements --target graphql'."
        }
    }
}
