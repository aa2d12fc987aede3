import JSON
import Testing
import Transformer

@testable import Server

@Suite("Rules for callers of every mode, over HTTP")
struct ModeRuleTests {
    private static let schema = """
        type Owned @model @auth(rules: [{allow: owner}]) { id: ID! @primaryKey }
        type Keyed @model @auth(rules: [{allow: public}]) { id: ID! @primaryKey }
        type Guest @model @auth(rules: [{allow: public, provider: iam}]) { id: ID! @primaryKey }
        type Member @model @auth(rules: [{allow: private, provider: iam}]) { id: ID! @primaryKey }
        type Visitor @model @auth(rules: [{allow: private, provider: oidc}]) { id: ID! @primaryKey }
        type Custom @model @auth(rules: [{allow: custom}]) { id: ID! @primaryKey }
        """
    private static let models = ["Owned", "Keyed", "Guest", "Member", "Visitor", "Custom"]

    /// What a caller may list and create, and of whose fields no policy of an identity pool's role speaks.
    private static func rights(_ caller: ModesStage.Caller) -> (allowed: [String], notPermitted: [String]) {
        switch caller {
        case .apiKey: (["Keyed"], [])
        case .ana, .anaByID, .admin: (["Owned"], [])
        case .openID: (["Visitor"], [])
        case .lambda, .limitedLambda: (["Custom"], [])
        case .member: (["Member"], ["Owned", "Keyed", "Visitor", "Custom"])
        case .guest: (["Guest"], ["Owned", "Keyed", "Member", "Visitor", "Custom"])
        case .signer: ([], [])
        // By its admin role.
        case .tools: (models, [])
        }
    }

    @Test("a caller has what the rules for its mode give, and an access key with an admin role has every model")
    func matrix() async throws {
        try await ModesStage.with(schema: Self.schema) { stage in
            for caller in ModesStage.Caller.allCases {
                let (allowed, notPermitted) = Self.rights(caller)
                for model in Self.models {
                    let id = "\(caller)"
                    let fields = [
                        ("list\(model)s", "Query", "{ list\(model)s(limit: 1) { __typename } }"),
                        ("create\(model)", "Mutation", "mutation { create\(model)(input: {id: \"\(id)\"}) { id } }"),
                    ]
                    for (field, parent, query) in fields {
                        let answer = try stage.ask(caller, query)
                        let value = try JSONReader.read(answer.bytes)
                        let error = value["errors"]?.arrayValue?.first
                        let comment: Comment = "\(caller) \(query): \(answer.body)"
                        if notPermitted.contains(model) {
                            #expect(answer.status == 401 && error?["message"] == "Permission denied", comment)
                        } else if allowed.contains(model) {
                            #expect(value["errors"] == nil && value["data"]?[field]?.objectValue?.count == 1, comment)
                        } else {
                            #expect(answer.status == 200 && value["data"]?[field] == .null, comment)
                            #expect(
                                error?["message"] == .string("Not Authorized to access \(field) on type \(parent)"),
                                comment)
                        }
                    }
                }
            }
        }
    }
}
