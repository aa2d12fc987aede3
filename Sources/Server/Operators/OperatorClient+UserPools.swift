public import JSON
import UserPools

extension OperatorClient {
    /// Carries out an operation of user pools, by its name in Cognito's interface.
    public func userPools(_ operation: String, _ body: JSONObject) async throws(ServerError) -> JSONValue {
        try await send(.userPools(operation: operation, body: body))
    }

    /// Calls `body` with each user of a pool.
    public func eachUser(
        of pool: String, filter: String?, _ body: (JSONValue) -> Void
    ) async throws(ServerError) {
        var token: JSONValue?
        repeat {
            var request: JSONObject = ["UserPoolId": .string(pool), "Limit": 60]
            if let filter { request["Filter"] = .string(filter) }
            if let token { request["PaginationToken"] = token }
            let page = try await userPools("ListUsers", request)
            for user in page["Users"]?.arrayValue ?? [] { body(user) }
            token = page["PaginationToken"]
        } while token != nil
    }

    /// The messages of the outbox, a line of JSON each.
    public func outbox(_ line: (String) -> Void) async throws(ServerError) {
        var last: JSONValue?
        while true {
            var request: JSONObject = ["Limit": 500]
            if let last { request["After"] = last }
            let messages = try await userPools("ListOutbox", request)["Messages"]?.arrayValue ?? []
            for message in messages { line(message.description) }
            guard let end = messages.last?["id"], messages.count == 500 else { return }
            last = end
        }
    }

    /// Makes the users of a file.
    ///
    /// - Parameter complain: Receives a sentence for each user that was not made.
    public func importUsers(
        _ file: String, into pool: String, complain: (String) -> Void
    ) async throws(ServerError) -> (made: Int, failed: Int) {
        let bytes: [UInt8]
        do throws(Files.Failure) {
            bytes = try Files.read(file, bytesMax: 1 << 30)
        } catch {
            throw ServerError(.usage, "Cannot read \(file): \(error.reason).")
        }
        var (made, failed) = (0, 0)
        var rest = try UserImport.users(bytes)[...]
        while !rest.isEmpty {
            let users = rest.prefix(UserPools.importedUsersMax)
            rest = rest.dropFirst(users.count)
            let answer = try await userPools(
                "ImportUsers", ["UserPoolId": .string(pool), "Users": .array(users.map(JSONValue.object))])
            made += Int(answer["Made"]?.intValue ?? 0)
            for failure in answer["Failed"]?.arrayValue ?? [] {
                complain(
                    "\(failure["Username"]?.stringValue ?? "a user"): \(failure["Message"]?.stringValue ?? "not made")")
                failed += 1
            }
        }
        return (made, failed)
    }
}
