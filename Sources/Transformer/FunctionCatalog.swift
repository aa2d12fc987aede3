/// The functions that `@function` can name, and how the environment changes the names.
public struct FunctionCatalog: Sendable, Hashable {
    /// The names that are declared; may hold `${env}`, as in Amplify.
    public var names: Set<String>
    /// Amplify's environment, such as `dev`; nil where there is none.
    public var environmentName: String?
    /// Whether a function that is not declared is a warning: its fields fail when they are selected.
    public var allowsMissing: Bool

    /// The functions of these names.
    public init(names: Set<String>, environmentName: String? = nil, allowsMissing: Bool = false) {
        self.names = names
        self.environmentName = environmentName
        self.allowsMissing = allowsMissing
    }

    /// The declared function that a name of a schema means: of the name in this environment, as it is written, or
    /// without the environment at its end (reference: resolvers, "Names").
    func declaredName(of written: String) -> String? {
        let name = Self.name(written, in: environmentName)
        if names.contains(name) { return name }
        if names.contains(written) { return written }
        guard let environmentName, name.hasSuffix("-\(environmentName)") else { return nil }
        let short = String(name.dropLast(environmentName.count + 1))
        return names.contains(short) ? short : nil
    }

    /// The name with its `${env}` replaced. Without an environment the first `-${env}` is dropped, and what is left of
    /// them is `NONE`.
    static func name(_ written: String, in environmentName: String?) -> String {
        let variable = "${env}"
        if let environmentName { return written.replacing(variable, with: environmentName) }
        return written.replacing("-\(variable)", with: "", maxReplacements: 1).replacing(variable, with: "NONE")
    }
}
