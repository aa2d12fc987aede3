/// An action on objects, named as in Amplify's `paths`.
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
