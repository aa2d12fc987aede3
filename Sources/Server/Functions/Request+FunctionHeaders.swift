import HTTP
import JSON

extension Request {
    /// The header lines as the event of a function has them: names in lower case, without `cookie`; of a repeated line the
    /// list of its values. AWS AppSync, "Resolver context reference", "Access request headers".
    var functionHeaders: JSONObject {
        var object = JSONObject()
        for (name, value) in headers where name != "cookie" {
            switch object[name] {
            case nil: object[name] = .string(value)
            case .array(let values)?: object[name] = .array(values + [.string(value)])
            case let first?: object[name] = .array([first, .string(value)])
            }
        }
        return object
    }
}
