import Encodings
import JSON
import Tables

extension Position {
    /// As the text that a list has in `next`.
    ///
    /// - Parameter count: Items after it that are still to be passed over.
    func cursor(skipping count: Int = 0) -> String {
        var members: JSONObject = ["row": .number(String(rowID))]
        if count > 0 { members["skip"] = .number(String(count)) }
        switch sort {
        case .text(let text)?: members["text"] = .string(text)
        case .integer(let number)?: members["integer"] = .number(String(number))
        case .real(let number)?: members["real"] = .number("\(number)")
        case .null?, nil: break
        }
        return Base64.encodeURL(Array(JSONValue.object(members).description.utf8))
    }

    /// Reads such a text; nil for any other.
    static func read(cursor: String) -> (position: Position, skip: Int)? {
        guard let bytes = Base64.decodeURL(cursor), let value = try? JSONReader.read(bytes),
            let rowID = value["row"]?.intValue
        else { return nil }
        let skip = value["skip"]?.intValue ?? 0
        guard (0...DataCall.offsetMax).contains(skip) else { return nil }
        var sort: Value?
        if let text = value["text"]?.stringValue { sort = .text(text) }
        if let number = value["integer"]?.intValue { sort = .integer(number) }
        if let number = value["real"]?.doubleValue { sort = .real(number) }
        return (Position(sort: sort, rowID: rowID), Int(skip))
    }
}

extension DataCall.Window {
    /// The position that `after` names, nil for the first page, and the items to pass over from there.
    var start: (position: Position?, skip: Int) {
        get throws(OperatorProblem) {
            guard let after else { return (nil, offset) }
            guard let (position, skip) = Position.read(cursor: after) else {
                throw .invalid("'after' is the 'next' of another page.", field: "after")
            }
            return (position, skip + offset)
        }
    }
}
