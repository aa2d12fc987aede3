import Amplify
public import Codegen
import JSON
public import Transformer

extension CodegenFlags {
    /// The group of feature flags in an Amplify project's cli.json.
    private static let group = "codegen."

    /// Takes the flags of an Amplify project, which has a value for each.
    mutating func read(_ project: AmplifyProject) {
        for (name, value) in project.flags where name.hasPrefix(Self.group) {
            guard let flag = value.boolValue else { continue }
            set(String(name.dropFirst(Self.group.count)), to: flag)
        }
    }

    /// What is generated for a schema that is read by these options.
    ///
    /// - Parameter profile: The flags to generate by in place of the project's.
    public func options(_ transform: TransformOptions, _ profile: CodegenProfile? = nil) -> CodegenOptions {
        var options = profile.map { CodegenOptions($0) } ?? flags(transform)
        options.isDataStoreEnabled =
            transform.conflictDetection != .none
            || transform.modelConflictDetection.values.contains { $0 != .none }
        return options
    }

    private func flags(_ transform: TransformOptions) -> CodegenOptions {
        var options = areGiven ? CodegenOptions.existingProject : CodegenOptions()
        options.transformerVersion = transform.transformerVersion
        options.improvePluralization = transform.improvePluralization
        options.respectPrimaryKeyAttributesOnConnectionField =
            transform.respectPrimaryKeyAttributesOnConnectionField
            && (transform.transformerVersion != .v1 || areGiven)
        for (name, value) in values { options.setFlag(name, to: value) }
        return options
    }
}
