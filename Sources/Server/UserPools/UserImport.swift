import JSON

/// Users out of another pool's files: Cognito's CSV with a line of headers, the JSON of `list-users`, or a user of JSON on
/// each line.
enum UserImport {
    /// The users, each as an element of the `Users` of `ImportUsers`.
    static func users(_ bytes: [UInt8]) throws(ServerError) -> [JSONObject] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let first = text.first(where: { !$0.isWhitespace }) else { return [] }
        if first == "{", let list = (try? JSONReader.read(bytes))?["Users"]?.arrayValue {
            return list.compactMap(user)
        }
        if first == "{" || first == "[" {
            var users: [JSONObject] = []
            for (number, line) in text.split(whereSeparator: \.isNewline).enumerated()
            where !line.allSatisfy(\.isWhitespace) {
                guard let value = try? JSONReader.read(String(line)), let user = user(value) else {
                    throw ServerError(.usage, "Line \(number + 1) is no user as 'list-users' has it.")
                }
                users.append(user)
            }
            return users
        }
        return try rows(text)
    }

    private static func user(_ value: JSONValue) -> JSONObject? {
        guard let username = value["Username"]?.stringValue else { return nil }
        let attributes = value["Attributes"] ?? value["UserAttributes"] ?? []
        var body: JSONObject = ["Username": .string(username), "UserAttributes": attributes]
        body["Sub"] = attributes.arrayValue?.first { $0["Name"] == "sub" }?["Value"]
        if value["Enabled"] == false { body["Enabled"] = false }
        return body
    }

    // MARK: CSV

    private static func rows(_ text: String) throws(ServerError) -> [JSONObject] {
        var lines = fields(text)
        guard let header = lines.first,
            let nameColumn = header.firstIndex(of: "cognito:username") ?? header.firstIndex(of: "name")
        else { throw ServerError(.usage, "The first line names no column 'cognito:username'.") }
        lines.removeFirst()
        return lines.compactMap { line in
            guard line.count == header.count, line.contains(where: { !$0.isEmpty }) else { return nil }
            var attributes: [JSONValue] = []
            var body = JSONObject()
            for (name, value) in zip(header, line) where !value.isEmpty {
                switch name {
                case "sub": body["Sub"] = .string(value)
                case _ where name.hasPrefix("cognito:"): break
                default: attributes.append(["Name": .string(name), "Value": .string(value)])
                }
            }
            let email = zip(header, line).first { $0.0 == "email" }?.1
            let username = line[nameColumn].isEmpty ? email ?? "" : line[nameColumn]
            body["Username"] = .string(username)
            body["UserAttributes"] = .array(attributes)
            return body
        }
    }

    /// The fields of each line (RFC 4180); a backslash before a comma is AWS's way to write one.
    private static func fields(_ text: String) -> [[String]] {
        var (lines, line, field): ([[String]], [String], String) = ([], [], "")
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if isEscaped {
                field.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                line.append(field)
                field = ""
            } else if character.isNewline, !isQuoted {
                lines.append(line + [field])
                (line, field) = ([], "")
            } else {
                field.append(character)
            }
        }
        if !field.isEmpty || !line.isEmpty { lines.append(line + [field]) }
        return lines
    }
}
