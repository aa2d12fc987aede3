/// The languages that the types of statements are written in.
public enum TypesTarget: String, Sendable, Hashable, CaseIterable {
    /// `API.swift`, for apps with amplify-swift or the AppSync SDK.
    case swift
    /// `API.ts`, for amplify-js.
    case typescript

    /// The file of the types, as Amplify calls it.
    public var fileName: String { "API\(fileExtension)" }

    /// What the names of files in the language end with.
    public var fileExtension: String {
        switch self {
        case .swift: ".swift"
        case .typescript: ".ts"
        }
    }
}
