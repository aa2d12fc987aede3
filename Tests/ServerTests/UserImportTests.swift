import Foundation
import JSON
import Testing

@testable import Server

@Suite("Files of users that are imported")
struct UserImportTests {
    private func read(_ text: String, usernameAttributes: [String] = []) throws -> UserImport {
        try UserImport(Array(text.utf8), usernameAttributes: usernameAttributes)
    }

    private func names(_ file: UserImport) -> [String] { file.users.compactMap { $0.body["Username"]?.stringValue } }

    private func attributes(_ user: UserImport.User) -> [String: String] {
        Dictionary(
            uniqueKeysWithValues: (user.body["UserAttributes"]?.arrayValue ?? []).compactMap { attribute in
                guard let name = attribute["Name"]?.stringValue else { return nil }
                return (name, attribute["Value"]?.stringValue ?? "")
            })
    }

    @Test("quotes, commas, line breaks, a byte order mark and every end of a line are read")
    func csv() throws {
        for end in ["\n", "\r\n", "\r"] {
            for mark in ["", "\u{FEFF}"] {
                let lines = [
                    "\(mark)cognito:username,name,email,email_verified,cognito:mfa_enabled,sub",
                    #"ada,"Lovelace, ""Ada""",ada@example.com,TRUE,FALSE,1-2"#, "",
                    "bob,\"two\(end)lines\",bob@example.com,FALSE,,", #"eve,a\, b \"c\" \d,,,,"#, ",,x@y.z,,,", "",
                ]
                let file = try read(lines.joined(separator: end), usernameAttributes: ["phone_number", "email"])
                #expect(file.problems == [])
                #expect(names(file) == ["ada", "bob", "eve", "x@y.z"])
                #expect(file.users.map(\.place) == ["Line 2", "Lines 4 to 5", "Line 6", "Line 7"])
                #expect(
                    attributes(file.users[0])
                        == ["name": "Lovelace, \"Ada\"", "email": "ada@example.com", "email_verified": "true"])
                #expect(file.users[0].body["Sub"] == "1-2" && file.users[1].body["Sub"] == nil)
                #expect(attributes(file.users[1])["name"] == "two\(end)lines")
                #expect(attributes(file.users[2]) == ["name": #"a, b "c" \d"#])
            }
        }
    }

    @Test("a row without a user name is no user unless people sign in by an address")
    func addresses() throws {
        let text = "cognito:username,email\n,ada@example.com\n"
        #expect(try read(text).problems.map(\.message) == ["It has no user name."])
        #expect(try read(text, usernameAttributes: ["phone_number"]).users.isEmpty)
        #expect(names(try read(text, usernameAttributes: ["email"])) == ["ada@example.com"])
    }

    @Test("each record that is no user is a problem with its lines, and the others are read")
    func problems() throws {
        let file = try read(
            """
            cognito:username,email
            ada,ada@example.com
            bob
            c,d,e
            ,
            x"y,z
            "a"b,c
            eve,eve@example.com
            "two
            lines"x,c
            "open,
            f,g
            """)
        #expect(names(file) == ["ada", "eve"])
        #expect(
            file.problems.map { "\($0.place): \($0.message)" } == [
                "Line 3: It has 1 field, and the first line 2.", "Line 4: It has 3 fields, and the first line 2.",
                "Line 5: It has no user name.",
                "Line 6: A quote stands inside of a field that does not begin with one.",
                "Line 7: Text follows a closing quote.", "Lines 9 to 10: Text follows a closing quote.",
                "Lines 11 to 12: A quote is not closed.",
            ])
    }

    @Test("bytes that are no UTF-8, NUL, and fields without end are problems; files that are none of ours are refused")
    func bytes() throws {
        let head = Array("cognito:username,email\n".utf8)
        let long = [UInt8](repeating: 0x61, count: CSVReader.recordBytesMax + 1)
        let rows = [
            [0xFF, 0x2C, 0x61], [0x61, 0, 0x2C], long + Array(",b".utf8), Array("\"".utf8) + long + Array("\",b".utf8),
        ]
        let file = try UserImport(head + rows.joined(separator: [0x0A]) + Array("\nada,\n".utf8))
        #expect(names(file) == ["ada"])
        #expect(
            file.problems.map(\.message) == [
                "The text is not UTF-8.", "The text holds a NUL.", "The record has more than 262144 bytes.",
                "The record has more than 262144 bytes.",
            ])
        for text in ["a,b\nc,d", "name,name\n", "cognito:username,\n", "\"", "name\"\n"] {
            #expect(throws: ServerError.self, "\(text)") { try read(text) }
        }
        #expect(throws: ServerError.self) { try UserImport([0xFF, 0xFE, 0x61, 0]) }
        #expect(try read("").users.isEmpty && read("\n \n").users.isEmpty)
    }

    @Test("the JSON of list-users, of export, and of lists is read, and what is no user is named")
    func json() throws {
        let ada = #"{"Username": "ada", "Attributes": [{"Name": "sub", "Value": "1-2"}], "Enabled": false}"#
        let eve = #"{"Username": "eve"}"#
        for text in [
            #"{"Users": [\#(ada), {}, \#(eve)]}"#, "[\(ada), 1, \(eve)]",
            "\u{FEFF}[\(ada), {\"Username\": \"\"}, \(eve)]",
        ] {
            let file = try read(text)
            #expect(names(file) == ["ada", "eve"] && file.problems.map(\.place) == ["User 2"], "\(text)")
        }
        let lines = try read("\(ada)\r\n\nnonsense\n{}\n\(eve)\n")
        #expect(names(lines) == ["ada", "eve"] && lines.problems.map(\.place) == ["Line 3", "Line 4"])
        #expect(lines.users[0].body["Sub"] == "1-2" && lines.users[0].body["Enabled"] == false)
    }

    @Test("records that were written are read back, whatever stands in them, and random bytes end")
    func random() throws {
        let seed = UInt64.testSeed(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let signs = ["a", ",", "\"", "\n", "\r\n", "\r", "\\", " ", "ä", "𝄞", "\u{FEFF}", "=", "'", ";"]
        func text() -> String {
            (0..<Int.random(in: 0...6, using: &random)).map { _ in signs.randomElement(using: &random) ?? "" }.joined()
        }
        for round in 0..<2_000 {
            let records = (0..<Int.random(in: 1...4, using: &random)).map { _ in
                ["name"] + (0..<3).map { _ in text() }
            }
            let written = records.map { record in
                record.map { "\"\($0.replacingOccurrences(of: "\"", with: "\"\""))\"" }.joined(separator: ",")
            }.joined(separator: round % 2 == 0 ? "\n" : "\r\n")
            var reader = CSVReader(Array(written.utf8))
            var found: [[String]] = []
            var line = 1
            while let record = reader.next() {
                #expect(record.problem == nil && record.lines.lowerBound == line, "seed \(seed), round \(round)")
                line = record.lines.upperBound + 1
                found.append(record.fields)
            }
            #expect(found == records, "seed \(seed), round \(round)")

            // Anything else: every line belongs to one record, in order, to the last byte.
            let noise = Array(
                (0..<20).map { _ in text() }.joined().utf8.dropFirst(Int.random(in: 0...1, using: &random)))
            var other = CSVReader(noise)
            line = 1
            while let record = other.next() {
                #expect(record.lines.lowerBound == line, "seed \(seed), round \(round)")
                line = record.lines.upperBound + 1
            }
        }
    }

    @Test("a hundred thousand rows are read")
    func many() throws {
        var text = "cognito:username,name,email,email_verified,sub\n"
        for index in 0..<100_000 { text += "user\(index),\"Name, \(index)\",u\(index)@example.com,TRUE,s\(index)\n" }
        let file = try read(text)
        #expect(file.users.count == 100_000 && file.problems.isEmpty)
        #expect(file.users.last?.place == "Line 100001" && file.users.last?.body["Sub"] == "s99999")
    }
}
