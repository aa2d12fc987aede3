import Crypto
import Encodings
import JSON

/// A file that was generated: its name, without a folder, and its text, which clients compare byte for byte.
public struct GeneratedFile: Sendable, Hashable {
    /// The name, such as `Post+Schema.swift`.
    public let name: String
    /// All of the text. There is no newline at its end.
    public let text: String

    /// A file by its name and text.
    public init(name: String, text: String) {
        self.name = name
        self.text = text
    }

    /// A digest of a text: 32 hexadecimal digits. A generated file with another digest was edited since.
    public static func digest(of bytes: [UInt8]) -> String {
        Hexadecimal.text(of: Insecure.MD5.hash(data: bytes))
    }

    /// Whether a text of unknown origin is one that a generator of models wrote for this target: ours, or Amplify's.
    public static func isGenerated(_ bytes: [UInt8], for target: CodegenTarget) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        switch target {
        case .swift: return text.hasPrefix("// swiftlint:disable all\nimport Amplify\nimport Foundation\n")
        case .introspection:
            let value = try? JSONReader.read(bytes)
            return value?["version"] != nil && value?["models"] != nil && value?["nonModels"] != nil
        }
    }
}
