/// Definitions that every schema has without writing them.
public enum StandardDefinitions {
    /// The directives of the specification (spec §3.13) and of AppSync. A schema that defines one of them keeps its
    /// own.
    ///
    /// AppSync knows `@deprecated` on fields and enum values alone; later editions of the specification add the rest.
    public static let directives = parsed(
        """
        directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @deprecated(reason: String = "No longer supported")
            on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
        directive @specifiedBy(url: String!) on SCALAR
        directive @aws_subscribe(mutations: [String!]!) on FIELD_DEFINITION
        directive @aws_publish(subscriptions: [String]) on FIELD_DEFINITION
        directive @aws_auth(cognito_groups: [String!]!) on FIELD_DEFINITION
        directive @aws_api_key on FIELD_DEFINITION | OBJECT
        directive @aws_iam on FIELD_DEFINITION | OBJECT
        directive @aws_oidc on FIELD_DEFINITION | OBJECT
        directive @aws_lambda on FIELD_DEFINITION | OBJECT
        directive @aws_cognito_user_pools(cognito_groups: [String!]) on FIELD_DEFINITION | OBJECT
        """)

    /// The types of introspection. Spec §4.2 Schema Introspection Schema; `includeDeprecated` on arguments and input
    /// fields, and `isOneOf`, are of its next edition and asked for by today's tools.
    static let introspection = parsed(
        """
        type __Schema {
          description: String
          types: [__Type!]!
          queryType: __Type!
          mutationType: __Type
          subscriptionType: __Type
          directives: [__Directive!]!
        }

        type __Type {
          kind: __TypeKind!
          name: String
          description: String
          specifiedByURL: String
          isOneOf: Boolean
          fields(includeDeprecated: Boolean = false): [__Field!]
          interfaces: [__Type!]
          possibleTypes: [__Type!]
          enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
          inputFields(includeDeprecated: Boolean = false): [__InputValue!]
          ofType: __Type
        }

        enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }

        type __Field {
          name: String!
          description: String
          args(includeDeprecated: Boolean = false): [__InputValue!]!
          type: __Type!
          isDeprecated: Boolean!
          deprecationReason: String
        }

        type __InputValue {
          name: String!
          description: String
          type: __Type!
          defaultValue: String
          isDeprecated: Boolean!
          deprecationReason: String
        }

        type __EnumValue {
          name: String!
          description: String
          isDeprecated: Boolean!
          deprecationReason: String
        }

        type __Directive {
          name: String!
          description: String
          isRepeatable: Boolean!
          locations: [__DirectiveLocation!]!
          args(includeDeprecated: Boolean = false): [__InputValue!]!
        }

        enum __DirectiveLocation { \(DirectiveLocation.allCases.map(\.rawValue).joined(separator: " ")) }
        """)

    private static func parsed(_ text: String) -> TypeSystemDocument {
        let source = Source(text, name: "standard definitions")
        let (document, errors) = Parser.parseTypeSystem([source], limits: .schema)
        precondition(errors.isEmpty, "the standard definitions are well-formed")
        return document
    }
}
