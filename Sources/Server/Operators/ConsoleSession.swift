import Encodings
import JSON

/// A browser that is signed in to the console.
struct ConsoleSession: Sendable, Hashable {
    /// SHA-256 of the cookie's value.
    let hash: [UInt8]
    let person: OperatorIdentity
    let createdMilliseconds: Int64
    /// When it was last used.
    var usedMilliseconds: Int64
    /// How long it may be unused, in seconds.
    let idleSeconds: Int

    /// When it ends, if it is not used before.
    var endMilliseconds: Int64 { usedMilliseconds + Int64(idleSeconds) * 1_000 }
}

extension ConsoleSession {
    /// Reads an entry of the file; nil if it is not valid.
    init?(_ value: JSONValue) {
        guard let hash = value["sha256"]?.stringValue.flatMap(Base64.decodeURL), hash.count == 32,
            let name = value["name"]?.stringValue, let role = value["role"]?.stringValue.flatMap(OperatorRole.init),
            let created = value["created"]?.intValue, let used = value["used"]?.intValue,
            let idleSeconds = value["idleSeconds"]?.intValue.flatMap({ Int(exactly: $0) }),
            (0...ConsoleLimits.idleSecondsOfDeveloper).contains(idleSeconds)
        else { return nil }
        let tokenHash = value["tokenSHA256"]?.stringValue.flatMap(Base64.decodeURL)
        self.init(
            hash: hash, person: OperatorIdentity(name: name, role: role, tokenHash: tokenHash),
            createdMilliseconds: created, usedMilliseconds: used, idleSeconds: idleSeconds)
    }

    /// An entry of the file.
    var value: JSONValue {
        var object: JSONObject = [
            "sha256": .string(Base64.encodeURL(hash)), "name": .string(person.name),
            "role": .string(person.role.rawValue),
            "created": .number(String(createdMilliseconds)), "used": .number(String(usedMilliseconds)),
            "idleSeconds": .number(String(idleSeconds)),
        ]
        object["tokenSHA256"] = person.tokenHash.map { .string(Base64.encodeURL($0)) }
        return .object(object)
    }
}
