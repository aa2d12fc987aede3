public import Transformer

/// A preset of feature flags: those that Amplify projects of a time have in common.
public enum CodegenProfile: String, Sendable, Hashable, CaseIterable {
    /// Version 1 with every flag off: projects of 2020 and 2021.
    case legacy
    /// Version 1 with the flags that new projects had in late 2021.
    case v1Timestamps = "v1-timestamps"
    /// Version 2 as `amplify init` sets it up.
    case v2
    /// Version 2 with relations that are loaded when they are first read: the default of Amplify Gen 2.
    case v2Lazy = "v2-lazy"

    /// The version of the transformer that it belongs to.
    public var version: TransformOptions.TransformerVersion {
        switch self {
        case .legacy, .v1Timestamps: .v1
        case .v2, .v2Lazy: .v2
        }
    }
}
