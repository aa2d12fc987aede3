public import JSON
import UserPools

extension OperatorClient {
    /// Carries out an operation of user pools, by its name in Cognito's interface.
    public func userPools(_ operation: String, _ body: JSONObject) async throws(ServerError) -> JSONValue {
        try await send(.userPools(operation: operation, body: body))
    }

    /// Calls `body` with each user of a pool.
    ///
    /// - Parameter hasGroups: Whether each user comes with the names of the `Groups`; not together with a filter.
    public func eachUser(
        of pool: String, filter: String? = nil, hasGroups: Bool = false, _ body: (JSONValue) -> Void
    ) async throws(ServerError) {
        var token: JSONValue?
        repeat {
            var request: JSONObject = ["UserPoolId": .string(pool), "Limit": 60]
            if let filter { request["Filter"] = .string(filter) }
            if let token { request["PaginationToken"] = token }
            let page = try await userPools(hasGroups ? "ListUsersWithGroups" : "ListUsers", request)
            for user in page["Users"]?.arrayValue ?? [] { body(user) }
            token = page["PaginationToken"]
        } while token != nil
    }

    /// The attributes with which users of a pool sign in instead of a user name.
    public func usernameAttributes(of pool: String) async throws(ServerError) -> [String] {
        let answer = try await userPools("DescribeUserPool", ["UserPoolId": .string(pool)])
        return (answer["UserPool"]?["UsernameAttributes"]?.arrayValue ?? []).compactMap(\.stringValue)
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

    /// Makes users, as many by a call as fit.
    ///
    /// - Parameter fail: Receives each user that was not made, and why.
    /// - Returns: How many were made.
    public func importUsers(
        _ users: [UserImport.User], into pool: String, fail: (UserImport.Problem) -> Void
    ) async throws(ServerError) -> Int {
        var made = 0
        var rest = users[...]
        while !rest.isEmpty {
            var (page, bytes) = ([UserImport.User](), 0)
            while let user = rest.first, page.count < UserPools.importedUsersMax {
                bytes += JSONValue.object(user.body).description.utf8.count
                if bytes > Self.importBytesMax, !page.isEmpty { break }
                page.append(user)
                rest = rest.dropFirst()
            }
            let answer = try await userPools(
                "ImportUsers", ["UserPoolId": .string(pool), "Users": .array(page.map { .object($0.body) })])
            made += Int(answer["Made"]?.intValue ?? 0)
            for failure in answer["Failed"]?.arrayValue ?? [] {
                let index = failure["Index"]?.intValue.flatMap { Int(exactly: $0) } ?? -1
                let name = failure["Username"]?.stringValue ?? "a user"
                fail(
                    .init(
                        place: page.indices.contains(index) ? page[index].place : name,
                        message: "\(name): \(failure["Message"]?.stringValue ?? "not made")"))
            }
        }
        return made
    }

    /// Bytes of the users of a call; a request has more room than that.
    private static let importBytesMax = 512 << 10
}

extension UserImport {
    /// Reads the bytes of a file.
    public static func read(_ file: String) throws(ServerError) -> [UInt8] {
        do throws(Files.Failure) {
            return try Files.read(file, bytesMax: 1 << 30)
        } catch {
            throw ServerError(.usage, "Cannot read \(file): \(error.reason).")
        }
    }
}
