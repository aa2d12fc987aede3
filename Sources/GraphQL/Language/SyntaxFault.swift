/// What a lexer or parser throws: small, without text of its own; `SyntaxError` is made of it once, by `Parser`.
struct SyntaxFault: Error {
    enum Reason {
        /// The grammar wants this here.
        case expected(StaticString)
        /// The same after a whole document.
        case trailing
        /// The bytes form no token.
        case malformed(StaticString, hint: StaticString?)
        case tooManyTokens(Int)
        case tooDeep(Int)
    }

    var reason: Reason
    var token: Token
}
