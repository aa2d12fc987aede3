import Encodings

/// An authorization request of OAuth 2.0 (RFC 6749 §4.1.1) whose client and redirect address are known.
struct AuthorizationRequest: Sendable {
    let pool: UserPool
    let client: UserPoolClient
    let redirectURI: String
    /// The pool's issuer, which each response names (RFC 9207 §2).
    let issuer: String
    let responseType: String
    let scopes: [String]
    let state: String?
    let nonce: String?
    let codeChallenge: String?
    let prompt: [String]
    let loginHint: String?
    /// The query, which goes with the browser from page to page.
    let query: String

    /// Why a request cannot be answered by a redirect: the client or its address is not known.
    struct Refusal: Error, Sendable {
        var message: String
    }

    /// Reads a request.
    init(_ request: HostedRequest, in pools: UserPools) throws(Refusal) {
        let parameters = request.parameters
        guard let id = parameters["client_id"], let client = pools.directory.client(id),
            let pool = pools.directory.pool(client.poolID), pools.serves(client, at: request.host)
        else { throw Refusal(message: "The client is not known.") }
        guard client.allowedOAuthFlowsUserPoolClient else {
            throw Refusal(message: "The client may not use the hosted pages.")
        }
        guard let redirect = parameters["redirect_uri"] ?? client.defaultRedirectURI,
            let registered = Self.registered(redirect, client.callbackURLs)
        else { throw Refusal(message: "The address to return to is not registered for the client.") }
        (self.pool, self.client, redirectURI) = (pool, client, registered)
        issuer = pools.issuer(of: pool.id)
        responseType = parameters["response_type"] ?? "code"
        let asked = (parameters["scope"] ?? "").split { $0 == " " || $0 == "+" }.map(String.init)
        scopes = asked.isEmpty ? client.allowedOAuthScopes : asked
        (state, nonce) = (parameters["state"], parameters["nonce"])
        codeChallenge = parameters["code_challenge"]
        prompt = (parameters["prompt"] ?? "").split(separator: " ").map(String.init)
        loginHint = parameters["login_hint"]
        query = request.query
    }

    /// The registered URL that matches after one or two rounds of decoding, because some clients encode twice (reference: auth, "Hosted pages").
    static func registered(_ address: String, _ registered: [String]) -> String? {
        let decoded = Percent.decode(address)
        return registered.first { $0 == address } ?? registered.first { $0 == decoded }
    }

    /// The error in the request, which is returned to the client by a redirect (RFC 6749 §4.1.2.1); nil if it is valid.
    func problem(_ parameters: [String: String]) -> (error: String, description: String)? {
        switch responseType {
        case "code" where client.allowedOAuthFlows.contains("code"): break
        case "token" where client.allowedOAuthFlows.contains("implicit"): break
        case "code", "token": return ("unauthorized_client", "flow not allowed for the client")
        default: return ("unsupported_response_type", "response_type is code or token")
        }
        if let scope = scopes.first(where: { !client.allowedOAuthScopes.contains($0) }) {
            return ("invalid_scope", "\(scope) is not allowed for the client")
        }
        if codeChallenge != nil || parameters["code_challenge_method"] != nil {
            guard parameters["code_challenge_method"] == "S256" else {
                return ("invalid_request", "code_challenge_method is S256")
            }
            guard let codeChallenge, (43...128).contains(codeChallenge.utf8.count) else {
                return ("invalid_request", "code_challenge is missing or malformed")
            }
        }
        return nil
    }

    /// The address with parameters behind it.
    func redirect(_ parameters: [(String, String?)], inFragment: Bool = false) -> String {
        let text = (parameters + [("iss", issuer), ("state", state)]).compactMap { name, value in
            value.map { "\(name)=\(Percent.encode($0))" }
        }.joined(separator: "&")
        let mark = inFragment ? "#" : redirectURI.contains("?") ? "&" : "?"
        return redirectURI + mark + text
    }
}
