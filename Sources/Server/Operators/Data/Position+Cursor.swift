import Encodings
import JSON
import Tables

extension Position {
    /// As the text that a list has in `next`.
    var cursor: String {
        var members: JSONObject = ["row": .number(String(rowID))]
        switch sort {
        case .text(let text)?: members["text"] = .string(text)
        case .integer(let number)?: members["integer"] = .number(String(number))
        case .real(let number)?: members["real"] = .number("\(number)")
        case .null?, nil: break
        }
        return Base64.encodeURL(Array(JSONValue.object(members).description.utf8))
    }

    /// Reads such a text; nil for any other.
    init?(cursor: String) {
        guard let bytes = Base64.decodeURL(cursor), let value = try? JSONReader.read(bytes),
            let rowID = value["row"]?.intValue
        else { return nil }
        var sort: Value?
        if let text = value["text"]?.stringValue { sort = .text(text) }
        if let number = value["integer"]?.intValue { sort = .integer(number) }
        if let number = value["real"]?.doubleValue { sort = .real(number) }
        self.init(sort: sort, rowID: rowID)
    }
}

extension DataCall.Window {
    /// The position that `after` names; nil for the first page.
    var position: Position? {
        get throws(OperatorProblem) {
            guard let after else { return nil }
            guard let position = Position(cursor: after) else {
                throw .invalid("'after' is the 'next' of another page.", field: "after")
            }
            return position
        }
    }
}
