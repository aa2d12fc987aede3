public import Codegen
public import Transformer

extension CodegenFlags {
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
