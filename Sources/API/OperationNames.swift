import GraphQL

/// The name that a document's first operation has, found without parsing: for the log of a document that cannot be
/// planned.
enum OperationNames {
    /// The name by which the operation was asked for, if it is one; else that of the first operation of the document,
    /// when the document begins with it.
    static func name(in request: GraphQLRequest) -> String? {
        if let name = request.operationName { return isName(name) ? name : nil }
        var words = request.query.prefix(1_024).split(maxSplits: 2) { isBlank($0) }[...]
        guard let keyword = words.popFirst(), let rest = words.popFirst(),
            [OperationType.query, .mutation, .subscription].contains(where: { keyword.elementsEqual($0.rawValue.utf8) })
        else { return nil }
        let name = String(decoding: rest.prefix(while: isNamePart), as: UTF8.self)
        return isName(name) ? name : nil
    }

    /// GraphQL spec §2.1.9 Names, and not longer than a log has use for.
    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, text.utf8.count <= OperationCounters.nameBytesMax else { return false }
        return !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) && text.utf8.allSatisfy(isNamePart)
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// GraphQL spec §2.1: what separates tokens and means nothing.
    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: ",")
    }
}
