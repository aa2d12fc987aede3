import Foundation
import JSON
import Testing
import UserPools

@testable import Server

@Suite("The verbs for users, and what is kept of users", .serialized)
struct UserVerbTests {
    private static let dev = ["dev", "--port", "0", "--tls", "off"]

    private func operation(_ client: Client, _ name: String, _ body: JSONValue) throws -> JSONValue {
        let text = body.description
        try client.send(
            "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: AWSCognitoIdentityProviderService.\(name)\r\n"
                + "Content-Length: \(text.utf8.count)\r\n\r\n\(text)")
        return try JSONReader.read(try client.receive().body)
    }

    @Test("users are made, changed and listed beside a server that runs, and without one")
    func verbs() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let server = try Running(Self.dev, in: folder)
        let created = try run(
            ["users", "create", "ada", "--password", "Passw0rd!", "--email", "ada@example.com"], in: folder)
        #expect(created.output == "Created ada.\n", "\(created)")
        #expect(try run(["users", "groups", "ada", "--add", "staff"], in: folder).output == "staff\n")
        let token = try run(["users", "token", "ada"], in: folder).output.trimmingCharacters(
            in: .whitespacesAndNewlines)
        let client = try server.connect()
        #expect(try operation(client, "GetUser", ["AccessToken": .string(token)])["Username"] == "ada")
        #expect(try run(["users", "sign-out", "ada"], in: folder).code == 0)
        #expect(
            try operation(client, "GetUser", ["AccessToken": .string(token)])["message"]
                == "Access Token has been revoked")
        #expect(try run(["users", "rotate-keys"], in: folder).code == 0)
        let missing = try run(["users", "disable", "nobody"], in: folder)
        #expect(missing.code != 0 && missing.complaint.contains("User does not exist."), "\(missing)")
        let audit = try run(["operators", "audit"], in: folder).output
        #expect(audit.contains("users.MintToken") && !audit.contains("Passw0rd!"))
        try #require(server.stop().code == 0)
        #expect(try run(["users", "list"], in: folder).output == "ada  CONFIRMED  ada@example.com\n")
        let exported = try run(["users", "export"], in: folder).output
        try folder.write(exported, to: "users.jsonl")
        #expect(try run(["users", "delete", "ada"], in: folder).output == "Deleted ada.\n")
        let imported = try run(["users", "import", "users.jsonl"], in: folder)
        #expect(imported.output == "Imported 1 user; 0 failed.\n", "\(imported)")
        let again = try run(["users", "export"], in: folder).output
        func sub(_ text: String) throws -> JSONValue? {
            try JSONReader.read(text)["Attributes"]?.arrayValue?.first { $0["Name"] == "sub" }?["Value"]
        }
        #expect(try sub(again) == sub(exported))
        #expect(again.contains("RESET_REQUIRED"))
        #expect(try JSONReader.read(again)["Groups"] == ["staff"])
        let refused = try run(["users", "token", "ada"], in: folder)
        #expect(
            refused.code == 2 && refused.complaint.contains("ada cannot sign in: the status is RESET_REQUIRED."))
    }

    @Test("every verb prints JSON where it is asked to, one value a line")
    func jsonOutput() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let server = try Running(Self.dev, in: folder)
        // The client of `dev` in us-east-1, whose id is the same in every folder.
        let signedUp = try operation(
            try server.connect(), "SignUp",
            ["ClientId": "1y72cjclxm9bogknt3z6gm1rt4", "Username": "ben", "Password": "Passw0rd!"])
        #expect(signedUp["UserConfirmed"] == false, "\(signedUp)")
        func json(_ arguments: String...) throws -> [JSONValue] {
            let answer = try run(["users"] + arguments + ["--json"], in: folder)
            #expect(answer.code == 0, "\(arguments) \(answer)")
            return try answer.output.split(separator: "\n").map { try JSONReader.read(String($0)) }
        }
        #expect(try json("confirm", "ben") == [[:]])
        let created = try json("create", "ada", "--password", "Passw0rd!", "--email", "ada@example.com")
        #expect(
            created.count == 1 && created[0]["User"]?["Username"] ?? created[0]["Username"] == "ada", "\(created)")
        #expect(try json("list").map { $0["Username"] } == ["ada", "ben"])
        #expect(try json("set-password", "ada", "N3wPassw0rd!") == [[:]])
        #expect(try json("disable", "ada") == [[:]])
        #expect(try json("enable", "ada") == [[:]])
        #expect(try json("groups", "ada", "--add", "staff").first?["Groups"]?.arrayValue?.count == 1)
        let tokens = try json("token", "ada").first?["AuthenticationResult"]
        #expect(tokens?["AccessToken"]?.stringValue != nil)
        #expect(try json("sign-out", "ada") == [[:]])
        #expect(try json("rotate-keys").count == 1)
        let exported = try json("export")
        #expect(exported.map { $0["Username"] } == ["ada", "ben"])
        #expect(try json("delete", "ada") == [[:]])
        try folder.write(exported[0].description, to: "users.jsonl")
        #expect(try json("import", "users.jsonl") == [["Made": 1, "Failed": []]])
        #expect(server.stop().code == 0)
    }

    @Test("a pool without a client has users, and no tokens for them, which the error says")
    func noClient() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        try folder.write(#"{"userPool": {"id": "us-east-1_Bare"}}"#, to: "config/syncline.json")
        let server = try Running(["serve", "--port", "0", "--tls", "off"], in: folder)
        #expect(try run(["users", "create", "ada", "--password", "Passw0rd!"], in: folder).code == 0)
        let refused = try run(["users", "token", "ada"], in: folder)
        #expect(
            refused.code == 2 && refused.complaint.contains("User pool us-east-1_Bare has no client. Add one"),
            "\(refused)")
        try #require(server.stop().code == 0)
    }

    @Test("a folder of serve without pools has none for the verbs either, and no verb makes them")
    func noPools() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        let server = try Running(["serve", "--port", "0", "--tls", "off"], in: folder)
        let beside = try run(["users", "list"], in: folder)
        #expect(beside.code == 2 && beside.complaint.contains("This server has no user pools."), "\(beside)")
        try #require(server.stop().code == 0)
        for verb in [["users", "list"], ["users", "create", "ada", "--password", "Passw0rd!"], ["outbox"]] {
            let alone = try run(verb, in: folder)
            #expect(alone.code == 2 && alone.complaint == beside.complaint, "\(alone)")
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path(".syncline/access-key.json")))
        #expect(!FileManager.default.fileExists(atPath: folder.path(".syncline/keys")))
    }

    @Test("a verb that reads creates no data folder, and one that writes does so for configured pools only")
    func noFolder() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        for verb in [["users", "list"], ["users", "export"], ["users", "delete", "ada"], ["outbox"]] {
            let refused = try run(verb + ["--data", "none"], in: folder)
            #expect(refused.code == 2 && refused.complaint.contains("No data folder at none."), "\(refused)")
        }
        let create = ["users", "create", "ada", "--password", "Passw0rd!", "--data", "none"]
        #expect(try run(create, in: folder).complaint.contains("no user pools"))
        #expect(!FileManager.default.fileExists(atPath: folder.path("none")))
        try folder.write(#"{"userPool": {"name": "x"}}"#, to: "config/syncline.json")
        #expect(try run(create, in: folder).output == "Created ada.\n")
    }

    @Test("a password comes from a file or standard input; a refused one, or none and no address, leaves no user")
    func passwords() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(#"{"userPool": {"name": "x", "clients": [{"name": "app"}]}}"#, to: "config/syncline.json")
        try folder.write("Passw0rd!\nsecond line\n", to: "password")
        try folder.write("\n", to: "empty")
        func create(_ name: String, _ options: String...) throws -> CommandLineTests.Outcome {
            try run(["users", "create", name] + options, in: folder)
        }
        let short = try create("bob", "--password", "short")
        #expect(short.code == 2 && short.complaint.contains("Password not long enough"), "\(short)")
        let none = try create("bob")
        #expect(
            none.code == 2 && none.complaint.contains("bob would not receive the temporary password"), "\(none)")
        #expect(try create("bob", "--password-file", "empty").complaint.contains("empty has no password"))
        #expect(try create("bob", "--password-file", "missing").complaint.contains("Cannot read"))
        #expect(try create("bob", "--password", "a", "--password-file", "password").code == 2)
        #expect(try create("ada", "--password-file", "password").code == 0)
        #expect(try create("eve", "--email", "eve@example.com").code == 0)
        #expect(
            try run(["users", "list"], in: folder).output
                == "ada  CONFIRMED  \neve  FORCE_CHANGE_PASSWORD  eve@example.com\n")
        let token = try run(["users", "token", "eve"], in: folder)
        #expect(token.code == 2 && token.complaint.contains("the status is FORCE_CHANGE_PASSWORD"), "\(token)")
        #expect(try run(["users", "set-password", "eve", "--password-file", "password"], in: folder).code == 0)
        #expect(try run(["users", "set-password", "eve"], in: folder).code != 0)
        #expect(try run(["users", "token", "eve"], in: folder).code == 0)
    }

    @Test("what was answered of sign-ups and new passwords is there after kill -9, and the outbox has every code")
    func kill() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        var made: [String] = []
        for round in 0..<3 {
            let server = try Running(Self.dev, in: folder)
            let client = try server.connect()
            let pools = UserPoolOptions().settings(
                region: "us-east-1", mode: .dev, servedURL: "", dataFolder: folder.path("none"))
            let app = try #require(pools.clients.first?.id)
            for index in 0..<4 {
                let name = "user\(round)-\(index)"
                let answer = try operation(
                    client, "SignUp",
                    [
                        "ClientId": .string(app), "Username": .string(name), "Password": "Passw0rd!",
                        "UserAttributes": [["Name": "email", "Value": .string("\(name)@example.com")]],
                    ])
                if answer["UserSub"] != nil { made.append(name) }
            }
            server.crash()
        }
        #expect(made.count == 12)
        let listed = try run(["users", "list"], in: folder).output
        for name in made { #expect(listed.contains("\(name)  UNCONFIRMED"), "\(name)") }
        let outbox = try run(["outbox"], in: folder).output.split(separator: "\n").map {
            try JSONReader.read(String($0))
        }
        #expect(outbox.count == 12)
        #expect(outbox.allSatisfy { ($0["code"]?.stringValue ?? "").count == 6 })
    }

    @Test("an import names each row that is no user with its line, and imports the others only if told to")
    func skipInvalid() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(#"{"userPool": {"name": "x"}}"#, to: "config/syncline.json")
        try folder.write(
            "cognito:username,email,email_verified,sub\nada,ada@example.com,TRUE,s-1\nbob\n,,,\n", to: "users.csv")
        let refused = try run(["users", "import", "users.csv"], in: folder)
        #expect(refused.code == 7 && refused.complaint.contains("Line 3: It has 1 field"), "\(refused)")
        #expect(refused.complaint.contains("Line 4: It has no user name.") && refused.output.isEmpty)
        #expect(refused.complaint.contains("users.csv: 2 rows are not valid users. No user was imported."))
        let json = try run(["users", "import", "users.csv", "--skip-invalid", "--json"], in: folder)
        let answer = try JSONReader.read(json.output)
        #expect(json.code == 1 && answer["Made"]?.intValue == 1, "\(json)")
        #expect(answer["Failed"]?.arrayValue?.compactMap { $0["Place"]?.stringValue } == ["Line 3", "Line 4"])
        let again = try run(["users", "import", "users.csv", "--skip-invalid"], in: folder)
        #expect(again.complaint.contains("Line 2: ada: User account already exists"), "\(again)")
        let users = try run(["users", "export"], in: folder).output
        #expect(users.contains("RESET_REQUIRED") && users.contains(#""Value":"s-1""#), "\(users)")
        let rotated = try JSONReader.read(try run(["users", "rotate-keys", "--json"], in: folder).output)
        #expect(rotated["Keys"]?.arrayValue?.count == 4 && rotated["UserPoolId"] != nil)
        #expect(!"\(rotated)".contains("\"d\":"), "public keys alone")
    }

    @Test("of several pools one has to be named, and the others are listed")
    func severalPools() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        let pools = ["us-east-1_AAAAAAAAA", "us-east-1_BBBBBBBBB"]
        let list = pools.map { #"{"id": "\#($0)", "name": "\#($0.suffix(1))"}"# }.joined(separator: ", ")
        try folder.write(#"{"userPool": [\#(list)]}"#, to: "config/syncline.json")
        let create = ["users", "create", "ada", "--password", "Passw0rd!"]
        let several = try run(create, in: folder)
        #expect(several.code == 2 && several.complaint.contains("--pool"), "\(several)")
        #expect(several.complaint.contains(pools.joined(separator: ", ")))
        #expect(try run(create + ["--pool", pools[1]], in: folder).code == 0)
        #expect(try run(["users", "list", "--pool", pools[0]], in: folder).output == "")
        let none = try run(["users", "list", "--pool", "us-east-1_none"], in: folder)
        #expect(none.code == 2 && none.complaint.contains("us-east-1_none does not exist"), "\(none)")
    }

    @Test("an operator's call is in the audit log once, with the pool and the user")
    func audit() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(#"{"userPool": {"name": "x"}}"#, to: "config/syncline.json")
        #expect(try run(["users", "create", "ada", "--email", "ada@example.com"], in: folder).code == 0)
        #expect(try run(["users", "disable", "ada"], in: folder).code == 0)
        #expect(try run(["users", "disable", "nobody"], in: folder).code == 2)
        let entries = try run(["operators", "audit"], in: folder).output.split(separator: "\n").map {
            try JSONReader.read(String($0))
        }
        #expect(
            entries.compactMap { $0["action"]?.stringValue } == [
                "users.AdminCreateUser", "users.AdminDisableUser", "users.AdminDisableUser",
                "users.AdminDisableUser.failed",
            ])
        #expect(entries[1]["target"]?.stringValue?.hasSuffix("/ada") == true && entries[1]["role"] == "owner")
    }

    @Test("a backup has the keys in a second file, and a restore without them says what is lost")
    func keys() throws {
        let folder = try TemporaryFolder()
        defer { folder.remove() }
        try folder.write(CommandLineTests.valid, to: "schema.graphql")
        try folder.write("correct horse\n", to: "passphrase")
        try folder.write("another horse\n", to: "wrong")
        let server = try Running(Self.dev, in: folder)
        #expect(try run(["users", "create", "ada", "--password", "Passw0rd!"], in: folder).code == 0)
        let backup = try run(["backup", "b.sqlite", "--passphrase-file", "passphrase"], in: folder)
        #expect(backup.code == 0, "\(backup)")
        #expect(
            try run(["backup", "c.sqlite"], in: folder).complaint.contains(
                "keys of user pools are not in the backup"))
        try #require(server.stop().code == 0)
        let lost = try run(["restore", "c.sqlite", "--data", "other"], in: folder)
        #expect(lost.code == 7 && lost.complaint.contains("the passwords of 1 user"), "\(lost)")
        let wrong = try run(["restore", "b.sqlite", "--data", "other", "--passphrase-file", "wrong"], in: folder)
        #expect(wrong.code == 5 && wrong.complaint.contains("does not open"), "\(wrong)")
        let restored = try run(
            ["restore", "b.sqlite", "--data", "other", "--passphrase-file", "passphrase"], in: folder)
        #expect(restored.code == 0, "\(restored)")
        let second = try Running(Self.dev + ["--data", "other"], in: folder)
        let settings = UserPoolOptions().settings(
            region: "us-east-1", mode: .dev, servedURL: "", dataFolder: folder.path("none"))
        let signedIn = try operation(
            try second.connect(), "InitiateAuth",
            [
                "AuthFlow": "USER_PASSWORD_AUTH", "ClientId": .string(try #require(settings.clients.first?.id)),
                "AuthParameters": ["USERNAME": "ada", "PASSWORD": "Passw0rd!"],
            ])
        #expect(signedIn["AuthenticationResult"]?["AccessToken"] != nil, "\(signedIn)")
    }
}
