import JSON

extension Group {
    /// The group as `GroupType`.
    var json: JSONObject {
        var object: JSONObject = ["GroupName": .string(name), "UserPoolId": .string(poolID)]
        if let description { object["Description"] = .string(description) }
        if let roleARN { object["RoleArn"] = .string(roleARN) }
        if let precedence { object["Precedence"] = .number(String(precedence)) }
        object["LastModifiedDate"] = Timestamp.json(modified)
        object["CreationDate"] = Timestamp.json(created)
        return object
    }
}
