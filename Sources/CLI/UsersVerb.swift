import ArgumentParser
import JSON
import Server

/// `syncline users …`
struct UsersVerb: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "users",
        abstract: "Creates, lists and changes users of a user pool; a server may run meanwhile.",
        subcommands: [
            List.self, Create.self, SetPassword.self, Confirm.self, Enable.self, Disable.self, Delete.self, Groups.self,
            SignOut.self, Token.self, Import.self, Export.self, RotateKeys.self,
        ])

    /// What all of these verbs are given.
    struct PoolOptions: ParsableArguments {
        @Option(name: .long, help: "The user pool's id; may be left out where there is one.")
        var pool: String?

        @Flag(name: .long, help: "Print the answer as JSON.")
        var json = false

        @OptionGroup var folder: DataOptions

        /// The client, and the pool that is meant.
        ///
        /// - Parameter createsFolder: Whether the data folder is created where there is none.
        func client(createsFolder: Bool = false) async throws -> (client: OperatorClient, pool: String) {
            let client = OperatorClient(try Configuration.load(folder.texts), createsFolder: createsFolder)
            if let pool { return (client, pool) }
            let answer = try await client.userPools("ListUserPools", ["MaxResults": 60])
            let ids = (answer["UserPools"]?.arrayValue ?? []).compactMap { $0["Id"]?.stringValue }
            guard let only = ids.first, ids.count == 1 else {
                throw ServerError(
                    .usage,
                    ids.isEmpty
                        ? "There is no user pool." : "There are several user pools: \(ids.joined(separator: ", ")).",
                    hint: ids.isEmpty ? "Configure 'userPool', or start 'syncline dev' once." : "Name one with --pool.")
            }
            return (client, only)
        }

        /// Performs an operation on a user and says what was done.
        func perform(_ operation: String, _ username: String, _ members: JSONObject = [:], saying text: String)
            async throws
        {
            let (client, pool) = try await client()
            var body: JSONObject = ["UserPoolId": .string(pool), "Username": .string(username)]
            for (name, value) in members { body[name] = value }
            let answer = try await client.userPools(operation, body)
            Terminal.say(json ? answer.description : text)
        }
    }
}

extension UsersVerb {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists users.")

        @Option(name: .long, help: "As ListUsers has it, such as 'email ^= \"jane\"'.")
        var filter: String?

        @OptionGroup var options: PoolOptions

        func run() async throws {
            let (client, pool) = try await options.client()
            try await client.eachUser(of: pool, filter: filter) { user in
                guard !options.json else { return Terminal.say(user.description) }
                let email = user["Attributes"]?.arrayValue?.first { $0["Name"] == "email" }?["Value"]?.stringValue
                let state = user["Enabled"] == true ? "" : "  disabled"
                Terminal.say(
                    "\(user["Username"]?.stringValue ?? "")  \(user["UserStatus"]?.stringValue ?? "")\(state)  \(email ?? "")"
                )
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "create", abstract: "Creates a user, confirmed, or with a temporary password.")

        @Argument(help: "The user name, or the address where people sign in by one.")
        var username: String

        @Option(name: .long, help: "The password; without one the user receives a temporary one.")
        var password: String?

        @Option(name: .long, help: "A file with the password on its first line; \"-\" is standard input.")
        var passwordFile: String?

        @Option(name: .long, help: "The mail address, which counts as verified.")
        var email: String?

        @Option(name: .long, help: "An attribute as NAME=VALUE; may be given several times.")
        var attribute: [String] = []

        @OptionGroup var options: PoolOptions

        func run() async throws {
            let password = try PasswordInput.password(password, file: passwordFile)
            let (client, pool) = try await options.client(createsFolder: true)
            var attributes: [JSONValue] = []
            if let email {
                attributes = [
                    ["Name": "email", "Value": .string(email)], ["Name": "email_verified", "Value": "true"],
                ]
            }
            for text in attribute {
                let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                guard parts.count == 2 else { throw ValidationError("An attribute is NAME=VALUE, and not '\(text)'.") }
                attributes.append(["Name": .string(String(parts[0])), "Value": .string(String(parts[1]))])
            }
            var body: JSONObject = [
                "UserPoolId": .string(pool), "Username": .string(username), "UserAttributes": .array(attributes),
            ]
            if let password {
                body["MessageAction"] = "SUPPRESS"
                // The pool checks it before it creates the user, so that a refused password leaves no user.
                body["TemporaryPassword"] = .string(password)
            } else if !attributes.contains(where: { ["email", "phone_number"].contains($0["Name"]?.stringValue) }),
                try await client.usernameAttributes(of: pool).isEmpty
            {
                throw ServerError(
                    .usage, "\(username) would not receive the temporary password, because there is no address.",
                    hint: "Give the user an address with --email, or a password with --password or --password-file.")
            }
            let made = try await client.userPools("AdminCreateUser", body)
            let name = made["User"]?["Username"]?.stringValue ?? username
            if let password {
                _ = try await client.userPools(
                    "AdminSetUserPassword",
                    [
                        "UserPoolId": .string(pool), "Username": .string(name), "Password": .string(password),
                        "Permanent": true,
                    ])
            }
            Terminal.say(options.json ? made.description : "Created \(name).")
        }
    }

    struct SetPassword: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "set-password", abstract: "Sets a user's password.")
        @Argument(help: "The user name.") var username: String
        @Argument(help: "The password; or give --password-file.") var password: String?
        @Option(name: .long, help: "A file with the password on its first line; \"-\" is standard input.")
        var passwordFile: String?
        @Flag(name: .long, help: "The user has to set another one at the next sign-in.") var temporary = false
        @OptionGroup var options: PoolOptions

        func run() async throws {
            guard let password = try PasswordInput.password(password, file: passwordFile) else {
                throw ValidationError("Give a password, or a file that holds it with --password-file.")
            }
            try await options.perform(
                "AdminSetUserPassword", username,
                ["Password": .string(password), "Permanent": .bool(!temporary)],
                saying: "Set the password of \(username).")
        }
    }

    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm", abstract: "Confirms a user's sign-up without a code.")
        @Argument(help: "The user name.") var username: String
        @OptionGroup var options: PoolOptions
        func run() async throws {
            try await options.perform("AdminConfirmSignUp", username, saying: "Confirmed \(username).")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "enable", abstract: "Enables a disabled user.")
        @Argument(help: "The user name.") var username: String
        @OptionGroup var options: PoolOptions
        func run() async throws {
            try await options.perform("AdminEnableUser", username, saying: "Enabled \(username).")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Disables a user; the sessions end.")
        @Argument(help: "The user name.") var username: String
        @OptionGroup var options: PoolOptions
        func run() async throws {
            try await options.perform("AdminDisableUser", username, saying: "Disabled \(username).")
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(commandName: "delete", abstract: "Removes a user.")
        @Argument(help: "The user name.") var username: String
        @OptionGroup var options: PoolOptions
        func run() async throws {
            try await options.perform("AdminDeleteUser", username, saying: "Deleted \(username).")
        }
    }

    struct SignOut: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "sign-out", abstract: "Ends all sessions of a user.")
        @Argument(help: "The user name.") var username: String
        @OptionGroup var options: PoolOptions
        func run() async throws {
            try await options.perform("AdminUserGlobalSignOut", username, saying: "Signed \(username) out.")
        }
    }

    struct Groups: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "groups",
            abstract: "Adds a user to groups, removes the user from groups, and prints the groups of the user.")
        @Argument(help: "The user name.") var username: String
        @Option(name: .long, help: "A group to add the user to; created if it does not exist.") var add: [String] = []
        @Option(name: .long, help: "A group to remove the user from.") var remove: [String] = []
        @OptionGroup var options: PoolOptions

        func run() async throws {
            let (client, pool) = try await options.client()
            let user: JSONObject = ["UserPoolId": .string(pool), "Username": .string(username)]
            for (operation, names) in [("AdminAddUserToGroup", add), ("AdminRemoveUserFromGroup", remove)] {
                for name in names {
                    var body = user
                    body["GroupName"] = .string(name)
                    do throws(ServerError) {
                        _ = try await client.userPools(operation, body)
                    } catch {
                        guard operation == "AdminAddUserToGroup", error.text.contains("Group not found") else {
                            throw error
                        }
                        _ = try await client.userPools(
                            "CreateGroup", ["UserPoolId": .string(pool), "GroupName": .string(name)])
                        _ = try await client.userPools(operation, body)
                    }
                }
            }
            let answer = try await client.userPools("AdminListGroupsForUser", user)
            let names = (answer["Groups"]?.arrayValue ?? []).compactMap { $0["GroupName"]?.stringValue }
            Terminal.say(options.json ? answer.description : names.joined(separator: "\n"))
        }
    }

    struct Token: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "token",
            abstract: "Prints an access token of a user who can sign in; entered in the audit log.")
        @Argument(help: "The user name.") var username: String
        @Option(name: .long, help: "The client's id; else the pool's first one.") var client: String?
        @Flag(name: .long, help: "Print the id token instead.") var id = false
        @OptionGroup var options: PoolOptions

        func run() async throws {
            let (operators, pool) = try await options.client()
            var body: JSONObject = ["UserPoolId": .string(pool), "Username": .string(username)]
            if let client { body["ClientId"] = .string(client) }
            let answer = try await operators.userPools("MintToken", body)
            let token = answer["AuthenticationResult"]?[id ? "IdToken" : "AccessToken"]?.stringValue ?? ""
            Terminal.say(options.json ? answer.description : token)
        }
    }

    struct RotateKeys: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate-keys",
            abstract: "Makes new signing keys; the old ones verify until the tokens that they signed have ended.")
        @OptionGroup var options: PoolOptions

        func run() async throws {
            let (client, pool) = try await options.client()
            let answer = try await client.userPools("RotateKeys", ["UserPoolId": .string(pool)])
            Terminal.say(options.json ? answer.description : "Rotated the signing keys of \(pool).")
        }
    }

    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Prints all users with their groups, one of JSON a line, without passwords.")
        @OptionGroup var options: PoolOptions

        func run() async throws {
            let (client, pool) = try await options.client()
            try await client.eachUser(of: pool, hasGroups: true) { Terminal.say($0.description) }
        }
    }

    struct Import: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract:
                "Makes users of a file: Cognito's CSV, the JSON of 'aws cognito-idp list-users', or what export printed.",
            discussion: """
                A user keeps the sub, and sets a new password by a code at the first sign-in. A file with users that cannot \
                be read is refused as a whole, each of them named with its line; --skip-invalid imports the others.
                """)
        @Argument(help: "The file.") var file: String
        @Flag(name: .long, help: "Import the users that can be read, and report the others.") var skipInvalid = false
        @OptionGroup var options: PoolOptions

        func run() async throws {
            let bytes = try UserImport.read(file)
            let (client, pool) = try await options.client(createsFolder: true)
            let read = try UserImport(bytes, usernameAttributes: try await client.usernameAttributes(of: pool))
            var failures = read.problems
            var made = 0
            let isRefused = !read.problems.isEmpty && !skipInvalid
            if !options.json { report(read.problems) }
            if !isRefused {
                made = try await client.importUsers(read.users, into: pool) { failure in
                    failures.append(failure)
                    if !options.json { report([failure]) }
                }
            }
            if options.json {
                let failed = failures.map { failure -> JSONValue in
                    ["Place": .string(failure.place), "Message": .string(failure.message)]
                }
                let answer: JSONValue = ["Made": .number(String(made)), "Failed": .array(failed)]
                Terminal.say(answer.description)
            }
            if isRefused {
                throw ServerError(
                    .refused,
                    "\(file): \(failures.count == 1 ? "1 row is not a valid user" : "\(failures.count) rows are not valid users"). "
                        + "No user was imported.",
                    hint: "Correct the file, or import the other users with --skip-invalid.")
            }
            if !options.json { Terminal.say("Imported \(made) user\(made == 1 ? "" : "s"); \(failures.count) failed.") }
            if !failures.isEmpty { throw ExitCode(ServerError.Code.failed.rawValue) }
        }

        private func report(_ problems: [UserImport.Problem]) {
            for problem in problems { Terminal.complain("\(problem.place): \(problem.message)") }
        }
    }
}
