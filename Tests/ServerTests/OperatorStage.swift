import JSON
import Testing

@testable import Server

/// A server with an operator of each role, and one connection to it.
struct OperatorStage {
    let server: TestServer
    let client: Client
    let tokens: [OperatorRole: String]

    static func with(
        schema: String, mode: Service.Mode = .dev, _ change: (inout Configuration) -> Void = { _ in },
        _ body: (OperatorStage) async throws -> Void
    ) async throws {
        try await TestServer.withDataFolder(schema: schema, mode: mode, change) { server, client in
            var tokens: [OperatorRole: String] = [:]
            for role in OperatorRole.allCases {
                tokens[role] = try Operators.create(role.rawValue, role: role, of: server.configuration)
            }
            try await body(OperatorStage(server: server, client: client, tokens: tokens))
        }
    }

    /// The answer's bytes as they are.
    func send(
        _ method: String, _ path: String, as role: OperatorRole = .owner, type: String = "application/json",
        body: String = ""
    ) throws -> Client.Answer {
        try client.ask(
            method, "/operators/v1\(path)",
            headers: ["Authorization": "Bearer \(tokens[role] ?? "")", "Content-Type": type], body: body)
    }

    func ask(
        _ method: String, _ path: String, as role: OperatorRole = .owner, body: String = ""
    ) throws -> (status: Int, value: JSONValue) {
        let answer = try send(method, path, as: role, body: body)
        return (answer.status, try JSONReader.read(answer.body))
    }

    func ask(
        _ method: String, _ path: String, as role: OperatorRole = .owner, _ body: JSONValue
    ) throws -> (status: Int, value: JSONValue) {
        try ask(method, path, as: role, body: body.description)
    }
}

extension JSONValue {
    /// The element of a list whose member has this text.
    func element(_ name: String, where member: String = "name") -> JSONValue? {
        arrayValue?.first { $0[member]?.stringValue == name }
    }
}
