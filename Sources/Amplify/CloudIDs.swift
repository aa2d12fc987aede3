import Crypto
import Encodings
import Transformer

/// The ids of one environment at AWS, as far as they are known, and invented ones, which are the same at each start and on
/// each machine.
struct CloudIDs {
    /// `amplify-meta.json`, if it is of the environment.
    var meta: ProjectNode?
    /// Ids of client files, if they are of the environment.
    var client: [Kind: (text: String, place: Diagnostic.Place)] = [:]
    var project = ""
    var environment = ""
    var region = ""

    /// What an id is of.
    enum Kind: String {
        case userPool, webClient, nativeClient, nativeSecret, identityPool, app, bucket, apiKey
        /// The URL of the API.
        case endpoint
        /// The region of the analytics app.
        case appRegion
    }

    /// The output of a resource that was deployed.
    func output(_ category: String, _ resource: String, _ key: String) -> ProjectNode? {
        meta?[category]?[resource]?["output"]?[key]
    }

    /// A generated ID that no AWS resource has.
    func invented(_ kind: Kind, of resource: String) -> String {
        let digest = Array(
            SHA256.hash(
                data: Array([project, environment, kind.rawValue, resource].joined(separator: "\n").utf8)))
        switch kind {
        case .userPool:
            let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
            return "\(region)_" + Self.text(digest, 9, letters)
        case .identityPool: return "\(region):" + Hexadecimal.uuid(of: digest.prefix(16))
        case .app: return Hexadecimal.text(of: digest.prefix(16))
        case .webClient, .nativeClient, .nativeSecret, .bucket, .apiKey, .endpoint, .appRegion:
            return Self.text(digest, 26, Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8))
        }
    }

    private static func text(_ digest: [UInt8], _ count: Int, _ letters: [UInt8]) -> String {
        String(decoding: digest.prefix(count).map { letters[Int($0) % letters.count] }, as: UTF8.self)
    }
}
