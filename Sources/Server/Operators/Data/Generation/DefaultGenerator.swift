/// The values that a field of a scalar type gets by its name and type; none for a scalar that the API does not know.
struct DefaultGenerator {
    let field: String
    let typeName: String
    /// The type that the field belongs to.
    let parent: String

    /// The days of 2026.
    static let dates: ClosedRange<Int64> = 20_454...20_818
    /// The same in seconds, up to the last day's beginning.
    static let seconds: ClosedRange<Int64> = 1_767_225_600...1_798_675_200
    static let dateTimes: ClosedRange<Int64> = 1_767_225_600_000...1_798_675_200_000
    static let prices: ClosedRange<Int64> = 5...500
    static let integers: ClosedRange<Int64> = 0...100

    var values: Generator.Values? {
        switch typeName {
        case "String": ofText
        case "ID": .text(.uuid)
        case "Int", "BigInt": ofInteger
        case "Float", "Double": ofFloat
        case "Boolean": .boolean(0.5)
        case "AWSDate": .date(Self.dates)
        case "AWSTime": .text(.time)
        case "AWSDateTime": .dateTime(Self.dateTimes)
        case "AWSTimestamp": .timestamp(Self.seconds)
        case "AWSEmail": .text(.email)
        case "AWSPhone": .text(.phone)
        case "AWSURL": .text(.url)
        case "AWSIPAddress": .text(.ip)
        case "AWSJSON": .text(.json)
        default: nil
        }
    }

    private func has(_ parts: String...) -> Bool {
        let name = field.lowercased()
        return parts.contains { name.contains($0) }
    }

    private var ofText: Generator.Values {
        let texts: [(Generator.Text, Bool)] = [
            (.email, has("mail")), (.phone, has("phone", "mobile")), (.url, has("url", "website")),
            (.firstName, has("firstname", "givenname")), (.lastName, has("lastname", "surname", "familyname")),
            (.username, has("username", "login", "handle", "nickname", "owner")),
            (.postcode, has("postcode", "zip", "postal")), (.city, has("city", "town")), (.country, has("country")),
            (.address, has("street", "address")), (.company, has("company", "organi")),
            (.color, has("color", "colour")),
            (.ip, field == "ip" || field.hasSuffix("Ip") || field.hasSuffix("IP")),
            (.paragraph, has("description", "content", "body", "about")),
            (.sentence, has("text", "note", "comment", "message", "summary", "title", "subject")),
            (.person, has("guest", "author", "customer", "person", "contact")), (.uuid, has("uuid")),
        ]
        if let found = texts.first(where: \.1) { return .text(found.0) }
        if has("name"),
            ["user", "person", "guest", "customer", "member", "author", "contact", "profile"].contains(
                where: parent.lowercased().contains)
        {
            return .text(.person)
        }
        if field.hasSuffix("Date") || field == "date" || field == "day" { return .date(Self.dates) }
        if field.hasSuffix("At") { return .dateTime(Self.dateTimes) }
        return .text(.word)
    }

    private var ofInteger: Generator.Values {
        if has("price", "amount", "cost", "total") { return .price(Self.prices) }
        if has("rating", "stars") { return .integer(1...5) }
        if has("quantity", "count") { return .integer(1...20) }
        if has("year") { return .integer(1990...2026) }
        if field.lowercased() == "age" { return .integer(18...90) }
        return .integer(Self.integers)
    }

    private var ofFloat: Generator.Values {
        if has("price", "amount", "cost", "total") { return .price(Self.prices) }
        if has("latitude") || field == "lat" { return .float(-90...90, decimals: 5) }
        if has("longitude") || field == "lon" || field == "lng" { return .float(-180...180, decimals: 5) }
        if has("rating", "stars") { return .float(1...5, decimals: 1) }
        return .float(0...100, decimals: 2)
    }
}
