import Foundation
import JSON
import Testing

/// A client of SRP in another language: `Tests/Clients/srp_client.py`, which computes with Python's own `pow`.
final class SRPClient {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest: [UInt8] = []

    init() throws {
        let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Clients/srp_client.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", script.path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Sends one request and reads its answer.
    func ask(_ request: JSONObject) throws -> JSONValue {
        input.fileHandleForWriting.write(Data("\(JSONValue.object(request))\n".utf8))
        while true {
            if let end = rest.firstIndex(of: 10) {
                let line = Array(rest[..<end])
                rest.removeFirst(end + 1)
                return try JSONReader.read(line)
            }
            let data = output.fileHandleForReading.availableData
            try #require(!data.isEmpty, "the client has ended")
            rest += [UInt8](data)
        }
    }

    /// Signs in by USER_SRP_AUTH.
    func signIn(
        _ stage: PoolStage, _ username: String, _ password: String, pool: String, client: String,
        parameters: JSONObject = [:]
    ) async throws -> Result<JSONObject, CognitoErrorBox> {
        let begun = try ask(["op": "begin"])
        var authParameters: JSONObject = ["USERNAME": .string(username), "SRP_A": begun["A"] ?? .null]
        for (name, value) in parameters { authParameters[name] = value }
        let first = await stage.call(
            "InitiateAuth",
            ["AuthFlow": "USER_SRP_AUTH", "ClientId": .string(client), "AuthParameters": .object(authParameters)])
        guard case .success(let challenge) = first else { return first.mapError(CognitoErrorBox.init) }
        return try await answer(
            challenge, stage, password, a: begun["a"] ?? .null, pool: pool, client: client, parameters: parameters)
    }

    /// Answers PASSWORD_VERIFIER.
    func answer(
        _ challenge: JSONObject, _ stage: PoolStage, _ password: String, a: JSONValue, pool: String, client: String,
        parameters: JSONObject = [:], change: (inout JSONObject) -> Void = { _ in }
    ) async throws -> Result<JSONObject, CognitoErrorBox> {
        let given = try #require(challenge["ChallengeParameters"])
        let timestamp = stage.timestamp
        let signed = try ask([
            "op": "sign", "pool": .string(String(pool.split(separator: "_")[1])),
            "user": given["USER_ID_FOR_SRP"] ?? .null,
            "password": .string(password), "salt": given["SALT"] ?? .null, "B": given["SRP_B"] ?? .null, "a": a,
            "block": given["SECRET_BLOCK"] ?? .null, "time": .string(timestamp),
        ])
        var responses: JSONObject = [
            "USERNAME": given["USERNAME"] ?? .null, "PASSWORD_CLAIM_SECRET_BLOCK": given["SECRET_BLOCK"] ?? .null,
            "PASSWORD_CLAIM_SIGNATURE": signed["signature"] ?? .null, "TIMESTAMP": .string(timestamp),
        ]
        for (name, value) in parameters where name != "SRP_A" { responses[name] = value }
        change(&responses)
        return await stage.call(
            "RespondToAuthChallenge",
            [
                "ChallengeName": "PASSWORD_VERIFIER", "ClientId": .string(client),
                "ChallengeResponses": .object(responses),
            ]
        ).mapError(CognitoErrorBox.init)
    }
}
