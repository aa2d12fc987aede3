/// Text that is no document: what was expected where, and what was found instead.
public struct SyntaxError: Error, Sendable {
    /// What kind of fault it is; the outward message of AppSync depends on it.
    public enum Kind: Sendable, Hashable {
        /// A token that the grammar has no place for.
        case unexpectedToken
        /// Tokens after the last definition that begin no further one.
        case trailingTokens
        /// Bytes that form no token: an unterminated string, a bad escape, a character outside the language.
        case malformedToken
        /// A bound of `ParserLimits` was met.
        case limit
    }

    /// The text at fault.
    public let source: Source
    /// The byte at which the token at fault begins.
    public let offset: Int
    /// What kind of fault it is.
    public let kind: Kind
    /// What was expected and what was found, as a sentence.
    public let message: String
    /// What to do about it, where that can be said.
    public let hint: String?

    /// A fault at a byte of a source.
    public init(_ message: String, hint: String? = nil, kind: Kind, source: Source, offset: Int) {
        self.message = message
        self.hint = hint
        self.kind = kind
        self.source = source
        self.offset = offset
    }

    /// Line and column, both from 1.
    public var location: SourceLocation { source.location(of: offset) }
}

extension SyntaxError {
    /// The error as AppSync answers it: no more than `Invalid Syntax`, and a location whose column counts from 0.
    ///
    /// The engine's lexer drops a malformed string and goes on, so that its parser is only surprised at the end of
    /// the text. Tokens left over after a whole document have a message of their own and no location.
    public var graphQLError: GraphQLError {
        switch kind {
        case .trailingTokens:
            GraphQLError(
                "Invalid Syntax : There are more tokens in the query that have not been consumed", locations: [])
        case .unexpectedToken:
            GraphQLError("Invalid Syntax", locations: [zeroBased(offset)])
        case .malformedToken:
            GraphQLError("Invalid Syntax", locations: [zeroBased(source.bytes.count)])
        case .limit:
            GraphQLError("Invalid Syntax : \(message)", locations: [zeroBased(offset)])
        }
    }

    private func zeroBased(_ offset: Int) -> SourceLocation {
        var location = source.location(of: offset)
        location.column -= 1
        return location
    }
}

extension SyntaxError: CustomStringConvertible {
    /// The error for a terminal: name, line and column, the sentence, the line itself with a mark, the hint.
    ///
    ///     schema.graphql:3:9: Expected a type, found "}".
    ///       name: }
    ///             ^
    ///     Hint: …
    public var description: String {
        let location = location
        let line = source.line(location.line)
        let indent = String(line.utf16.prefix(location.column - 1).map { $0 == 9 ? "\t" : " " })
        let mark = line.utf8.count > 160 ? [] : ["  " + line, "  " + indent + "^"]
        let hint = hint.map { ["Hint: " + $0] } ?? []
        let sentence = "\(source.name):\(location.line):\(location.column): \(message)"
        return ([sentence] + mark + hint).joined(separator: "\n")
    }
}
