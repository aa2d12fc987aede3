import Encodings
import JSON

/// Someone, or a program, who runs the server. Operators are no users of the API.
public struct Operator: Sendable, Hashable {
    /// The name, unique among the operators of a data folder.
    public let name: String
    /// What the operator may do.
    public let role: OperatorRole
    /// When the operator was created, in milliseconds since 1970.
    let createdMilliseconds: Int64
    /// The SHA-256 of the operator's token.
    let tokenHash: [UInt8]

    /// When the operator was created, as in RFC 3339.
    public var created: String { Moment(milliseconds: createdMilliseconds).text }

    /// Letters, digits and the signs of e-mail addresses, up to 64: what needs no quoting in logs and shells.
    static func isName(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "._-+@".utf8.contains(byte)
                }
            }
    }
}

extension Operator {
    init(name: String, role: OperatorRole, createdMilliseconds: Int64, token: OperatorToken) {
        self.init(name: name, role: role, createdMilliseconds: createdMilliseconds, tokenHash: token.hash)
    }

    /// Reads an entry of the file; nil for what is none.
    init?(_ value: JSONValue) {
        guard let name = value["name"]?.stringValue, Self.isName(name),
            let role = value["role"]?.stringValue.flatMap(OperatorRole.init),
            let created = value["created"]?.intValue,
            let hash = value["tokenSHA256"]?.stringValue.flatMap(Base64.decodeURL), hash.count == 32
        else { return nil }
        self.init(name: name, role: role, createdMilliseconds: created, tokenHash: hash)
    }

    /// As the operators' API has it: without anything of the token.
    var summary: JSONValue {
        .object(["name": .string(name), "role": .string(role.rawValue), "created": .string(created)])
    }

    /// An entry of the file.
    var value: JSONValue {
        .object([
            "name": .string(name), "role": .string(role.rawValue), "created": .number(String(createdMilliseconds)),
            "tokenSHA256": .string(Base64.encodeURL(tokenHash)),
        ])
    }
}
