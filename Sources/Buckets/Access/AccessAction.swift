/// What a rule allows to do with the objects of a path, in the words of Amplify's `paths`.
public enum AccessAction: String, Sendable, Hashable, CaseIterable {
    /// Read an object.
    case get
    /// List keys.
    case list
    /// Store an object.
    case write
    /// Remove an object.
    case delete
}
