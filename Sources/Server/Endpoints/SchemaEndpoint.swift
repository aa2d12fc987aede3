import API
import HTTP
import JSON

/// `GET /schema.graphql` and `/schema.json`: the generated schema for tools, in both forms they read.
///
/// Callers with the API key may read it, as by introspection, and programs on this machine without one; with
/// introspection off, no one.
enum SchemaEndpoint: Endpoint {
    /// The text that `syncline schema print` prints.
    case sdl
    /// The answer to the introspection query.
    case introspection

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.authorizeReader(request) else { return }
        guard let context = requestContext.services.context, let servedAPI = requestContext.services.servedAPI else {
            return requestContext.refuse(.notReady)
        }
        guard servedAPI.hasGraphQL else { return requestContext.refuse(.noGraphQL) }
        guard let text = servedAPI.schemaText else { return requestContext.refuse(.noIntrospection) }
        switch self {
        case .sdl: requestContext.answer("text/plain;charset=UTF-8", text)
        case .introspection: Self.introspect(servedAPI.api, on: context, requestContext)
        }
    }

    private static func introspect(_ api: GraphQLAPI, on context: LoopContext, _ requestContext: RequestContext) {
        guard let request = unsafe envelope.withUnsafeBytes({ body in try? unsafe context.readRequest(body, for: api) })
        else {
            preconditionFailure("the introspection query is a sound envelope")
        }
        unsafe api.respond(to: request, as: .apiKey, on: context) { kind, body in
            unsafe requestContext.answer(
                kind, requestContext.templates.refused(.appSync), fields: [("Cache-Control", "no-store")], body)
        }
    }

    private static let envelope = Array(JSONValue.object(["query": .string(introspectionQuery)]).description.utf8)

    /// What tools ask to know a schema whole: every field of introspection (GraphQL spec §4.2), wrapping types nine
    /// deep.
    private static let introspectionQuery = """
        query IntrospectionQuery {
          __schema {
            description
            queryType { name } mutationType { name } subscriptionType { name }
            types {
              kind name description specifiedByURL isOneOf
              fields(includeDeprecated: true) {
                name description args(includeDeprecated: true) { ...InputValue } type { ...TypeRef }
                isDeprecated deprecationReason
              }
              inputFields(includeDeprecated: true) { ...InputValue }
              interfaces { ...TypeRef }
              enumValues(includeDeprecated: true) { name description isDeprecated deprecationReason }
              possibleTypes { ...TypeRef }
            }
            directives {
              name description isRepeatable locations args(includeDeprecated: true) { ...InputValue }
            }
          }
        }
        fragment InputValue on __InputValue {
          name description type { ...TypeRef } defaultValue isDeprecated deprecationReason
        }
        fragment TypeRef on __Type {
          kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name ofType {
            kind name ofType { kind name ofType { kind name ofType { kind name ofType { kind name } } } }
          } } } } }
        }
        """
}
