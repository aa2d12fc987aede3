import GraphQL
import Server
import Transformer

/// What `syncline dev` says when it answers: where, with which key, what, and one line to try.
struct Banner {
    let text: String

    init(_ service: Service, _ configuration: Configuration, milliseconds: Int64) {
        let definition = service.summary.definition
        // A key that was configured is a secret: it is never printed.
        let isDefaultKey = configuration.apiKeys.acceptsDefault
        let key = isDefaultKey ? APIKeys.defaultKey : "the configured one"
        let header =
            isDefaultKey ? "'x-api-key: \(APIKeys.defaultKey)'" : "\"x-api-key: $\(Setting.apiKey.variable)\""
        let sample = SampleQuery(definition).text
        // What curl does not trust by itself.
        let authority = configuration.tls.isRequired ? service.tls?.authorityFile : nil
        let trust = authority.map { "--cacert '\($0)' " } ?? ""
        text = """

              Syncline \(version) is ready in \(milliseconds) ms: \(definition.counts).

              GraphQL   \(service.url)\(service.tls.map { Self.lines(of: $0, configuration) } ?? "")
              Ready     \(service.url.replacingSuffix("/graphql", with: "/ready")), 200 while requests are answered
              API key   \(key)
              Data      \(configuration.data.isEphemeral ? "thrown away at exit" : configuration.data.folder)

              Try:
              curl \(trust)\(service.url) -H \(header) -H 'content-type: application/json' -d '{"query":"\(sample)"}'

            """
    }

    /// Where TLS is served, and what clients must trust for it.
    private static func lines(of tls: Service.TLS, _ configuration: Configuration) -> String {
        var lines = "\n  TLS       "
        lines += configuration.tls.isRequired ? "alone; clear text is refused" : "\(tls.url), and wss"
        if let url = tls.portURL { lines += "\n            \(url), TLS alone" }
        if let file = tls.authorityFile {
            lines +=
                "\n  Trust     \(file); 'syncline trust\(configuration.data.isEphemeral ? " --ephemeral" : "")' says how"
        }
        return lines
    }
}

extension String {
    fileprivate func replacingSuffix(_ suffix: String, with other: String) -> String {
        hasSuffix(suffix) ? dropLast(suffix.count) + other : self
    }
}

/// A query that works on the served schema: the first model's list, with a few plain fields.
struct SampleQuery {
    /// The document; without quotes, so that it can stand in a shell's and in JSON's.
    let text: String

    private static let fieldCountMax = 4

    init(_ definition: APIDefinition) {
        text = Self.list(definition) ?? "{ __typename }"
    }

    /// The first field of the query type that lists a model without any required argument.
    private static func list(_ definition: APIDefinition) -> String? {
        let schema = definition.schema
        let queryType = schema[schema.queryType]
        guard case .object(let root) = queryType.kind else { return nil }
        for field in root.fields {
            guard case .query(let query)? = definition.resolver(type: queryType.name, field: field.name),
                query.kind == .list, let model = schema.type(named: definition.models[query.model].name)
            else { continue }
            let fields = plainFields(of: model, schema).prefix(fieldCountMax).joined(separator: " ")
            return "{ \(field.name) { items { \(fields.isEmpty ? "__typename" : fields) } } }"
        }
        return nil
    }

    /// The fields that need neither arguments nor a selection of their own.
    private static func plainFields(of type: TypeID, _ schema: GraphQL.Schema) -> [String] {
        guard case .object(let object) = schema[type].kind else { return [] }
        return object.fields.filter { field in
            guard field.arguments.isEmpty else { return false }
            return switch schema[field.type.namedType].kind {
            case .scalar, .enumeration: true
            default: false
            }
        }.map(\.name)
    }
}
