import GraphQL

/// How a column's cell becomes a JSON leaf.
enum Leaf: Sendable {
    /// Text as it is.
    case text
    /// An owner, who is stored by several claims and shown by the last of them
    /// (reference: authorization, "Owners").
    case owner
    /// A whole number within these bounds.
    case integer(ClosedRange<Int64>, TypeID)
    case real
    case boolean
    /// One of these names.
    case enumeration([String], TypeID)
}

extension Leaf {
    /// What is shown of an owner: what follows the last `::`.
    static func shownOwner(_ stored: String) -> String {
        var stored = stored
        return stored.withUTF8 { bytes in
            let shown = unsafe shownOwner(UnsafeRawBufferPointer(bytes))
            return unsafe String(decoding: shown, as: UTF8.self)
        }
    }

    /// The same of the bytes of a text.
    ///
    /// Memory safety: what is returned is a part of what was given, and as valid.
    static func shownOwner(_ stored: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let colon = UInt8(ascii: ":")
        var place = stored.count - 1
        while place > 0 {
            if unsafe stored[place] == colon, unsafe stored[place - 1] == colon {
                return unsafe UnsafeRawBufferPointer(rebasing: stored[(place + 1)...])
            }
            place -= 1
        }
        return unsafe stored
    }

    /// How a column of this type becomes a leaf; nil for a type that is none, or that no column holds.
    init?(_ type: TypeID, in schema: Schema) {
        switch schema[type].kind {
        case .enumeration(let values): self = .enumeration(values.map(\.name), type)
        case .scalar(let scalar):
            switch scalar {
            case .int: self = .integer(Int64(Int32.min)...Int64(Int32.max), type)
            case .awsTimestamp, .bigInt: self = .integer(.min ... .max, type)
            case .float, .double: self = .real
            case .boolean: self = .boolean
            default: self = .text
            }
        default: return nil
        }
    }
}
