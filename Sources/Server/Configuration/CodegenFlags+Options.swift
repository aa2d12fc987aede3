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
    public func options(_ transform: TransformOptions) -> CodegenOptions {
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
