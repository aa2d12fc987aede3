package import GraphQL

extension Transform {
    /// The version that a schema is written for: that of the options, else by its directives. Mixtures, which a
    /// transform reports, are of version 2.
    package static func version(
        of document: TypeSystemDocument, options: TransformOptions
    ) -> TransformOptions.TransformerVersion {
        var diagnostics = DiagnosticList(sources: [])
        return SchemaVersion.version(of: document, options: options, diagnostics: &diagnostics)
    }
}
