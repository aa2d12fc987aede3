import Crypto
import Encodings
import JSON

/// An API key that `syncline keys create` has created: its name, its times, and the hash of the key.
public struct StoredAPIKey: Sendable, Hashable {
    /// The name, unique among the keys of a data folder.
    public let name: String
    /// When it was created, in milliseconds since 1970.
    let createdMilliseconds: Int64
    /// From when on it is refused.
    let expiresMilliseconds: Int64
    /// The SHA-256 of the key.
    let hash: [UInt8]

    /// When it was created, as in RFC 3339.
    public var created: String { Moment(milliseconds: createdMilliseconds).text }
    /// From when on it is refused.
    public var expires: String { Moment(milliseconds: expiresMilliseconds).text }

    static func hash(_ key: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: key)) }

    /// A key that is valid for a number of days from now on.
    init(name: String, key: String, days: Int, now: Int64) {
        (self.name, createdMilliseconds) = (name, now)
        expiresMilliseconds = now + Int64(days) * 86_400_000
        hash = Self.hash(Array(key.utf8))
    }

    /// Parses an entry of the file; nil if it is invalid.
    init?(_ value: JSONValue) {
        guard let name = value["name"]?.stringValue, Operator.isName(name), let created = value["created"]?.intValue,
            let expires = value["expires"]?.intValue,
            let hash = value["keySHA256"]?.stringValue.flatMap(Base64.decodeURL), hash.count == 32
        else { return nil }
        (self.name, createdMilliseconds, expiresMilliseconds, self.hash) = (name, created, expires, hash)
    }

    /// An entry of the file.
    var value: JSONValue {
        [
            "name": .string(name), "created": .number(String(createdMilliseconds)),
            "expires": .number(String(expiresMilliseconds)), "keySHA256": .string(Base64.encodeURL(hash)),
        ]
    }

    /// The key's entry in the operators' API, without the key and its hash.
    func summary(now: Int64) -> JSONValue {
        [
            "name": .string(name), "created": .string(created), "expires": .string(expires),
            "expired": .bool(expiresMilliseconds <= now), "source": "created",
        ]
    }
}
