/// The mode `AWS_LAMBDA` in `dev` if its function has no URL: each token is refused with the reason. `serve` does not start.
struct MissingAuthorizer: AuthenticationMode {
    let message: String

    func authenticate(_ credentials: any Credentials) -> AuthenticationOutcome? {
        guard let bytes = credentials.authorization, !bytes.starts(with: Authenticator.signature) else { return nil }
        return .refused("AWS_LAMBDA accepts no token: \(message)")
    }
}
