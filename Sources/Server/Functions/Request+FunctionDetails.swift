import API
import HTTP
import JSON

extension Request {
    /// What functions receive of the request.
    ///
    /// - Parameter peer: The other end of the connection.
    func functionDetails(from peer: Peer) -> RequestDetails {
        // AWS AppSync, "Resolver context reference": the list of `x-forwarded-for`, and the address of the connection.
        let forwarded = self.headers.filter { $0.name == "x-forwarded-for" }.flatMap { $0.value.split(separator: ",") }
            .map { $0.trimmingPrefix { $0 == " " } }.map { String($0.prefix { $0 != " " }) }.filter { !$0.isEmpty }
        return RequestDetails(headers: functionHeaders, sourceAddresses: forwarded + [peer.ipAddress])
    }

    /// The header lines as the event of a function has them: names in lower case, without `cookie` and without the token of an
    /// operator; of a repeated line the list of its values. AWS AppSync, "Resolver context reference", "Access request headers".
    var functionHeaders: JSONObject {
        var object = JSONObject()
        for (name, value) in headers where name != "cookie" && name != "x-syncline-operator" {
            if name == "authorization", OperatorToken.occurs(in: value.utf8) { continue }
            switch object[name] {
            case nil: object[name] = .string(value)
            case .array(let values)?: object[name] = .array(values + [.string(value)])
            case let first?: object[name] = .array([first, .string(value)])
            }
        }
        return object
    }
}
