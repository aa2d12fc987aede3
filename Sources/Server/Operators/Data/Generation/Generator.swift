import Encodings
import JSON

/// How the values of a field are made.
struct Generator: Sendable {
    /// A kind of text, without options.
    enum Text: String, Sendable {
        case uuid, word, sentence, paragraph, person, firstName, lastName, username, email, phone, url, address, city,
            country
        case postcode, company, ip, color, json, time
    }

    indirect enum Values: Sendable {
        case text(Text)
        case integer(ClosedRange<Int64>)
        case float(ClosedRange<Double>, decimals: Int)
        case price(ClosedRange<Int64>)
        /// The share of true.
        case boolean(Double)
        /// Days since 1970-01-01.
        case date(ClosedRange<Int64>)
        /// Milliseconds since 1970.
        case dateTime(ClosedRange<Int64>)
        /// Seconds since 1970.
        case timestamp(ClosedRange<Int64>)
        case enumeration([String])
        case constant(JSONValue)
        case sequence(prefix: String, start: Int64)
        /// An item of another model that is there.
        case link
        case list(Generator, count: ClosedRange<Int>)
        case custom([(name: String, field: GeneratedField)])
        case none
    }

    let values: Values
    /// The share of items that lack the field.
    var absent = 0.0

    init(_ values: Values, absent: Double = 0) { (self.values, self.absent) = (values, absent) }

    // MARK: - Values

    /// A value; nil for none.
    ///
    /// - Parameters:
    ///   - typeName: That of the field, or of the elements of a list.
    ///   - item: The number of the item, from 0.
    func value(_ typeName: String, item: Int, _ random: inout SeededRandom) -> JSONValue? {
        if absent > 0, random.fraction() < absent { return nil }
        switch values {
        case .text(let text): return .string(Self.text(text, &random))
        case .integer(let range), .timestamp(let range): return .number(String(random.number(in: range)))
        case .float(let range, let decimals):
            let number = range.lowerBound + random.fraction() * (range.upperBound - range.lowerBound)
            var scale = 1.0
            for _ in 0..<decimals { scale *= 10 }
            let rounded = (number * scale).rounded() / scale
            return .number("\(rounded.isFinite ? min(max(rounded, range.lowerBound), range.upperBound) : number)")
        case .price(let range):
            let whole = random.number(in: range)
            guard typeName != "Int", typeName != "BigInt", whole < range.upperBound else {
                return .number(String(whole))
            }
            return .number("\(whole).\(random.pick(["0", "5", "9", "95"]))")
        case .boolean(let share): return .bool(random.fraction() < share)
        case .date(let range): return .string(Self.date(random.number(in: range)))
        case .dateTime(let range): return .string(Moment(milliseconds: random.number(in: range)).text)
        case .enumeration(let names): return .string(random.pick(names))
        case .constant(let value):
            // The API has JSON in a text.
            return typeName == "AWSJSON" && value.stringValue == nil && !value.isNull
                ? .string(value.description) : value
        case .sequence(let prefix, let start):
            let number = String(start &+ Int64(item))
            return ["Int", "BigInt", "Float", "Double"].contains(typeName) ? .number(number) : .string(prefix + number)
        case .list(let element, let count):
            var elements: [JSONValue] = []
            for _ in 0..<Int(random.number(in: Int64(count.lowerBound)...Int64(count.upperBound))) {
                if let value = element.value(typeName, item: item, &random) { elements.append(value) }
            }
            return .array(elements)
        case .custom(let fields):
            var object: JSONObject = [:]
            for (name, field) in fields {
                if let value = field.generator.value(field.typeName, item: item, &random) { object[name] = value }
            }
            return .object(object)
        case .link, .none: return nil
        }
    }

    private static func text(_ text: Text, _ random: inout SeededRandom) -> String {
        switch text {
        case .uuid: SampleTexts.uuid(&random)
        case .word: random.pick(SampleTexts.words)
        case .sentence: SampleTexts.sentence(&random)
        case .paragraph: SampleTexts.paragraph(&random)
        case .person: "\(random.pick(SampleTexts.firstNames)) \(random.pick(SampleTexts.lastNames))"
        case .firstName: random.pick(SampleTexts.firstNames)
        case .lastName: random.pick(SampleTexts.lastNames)
        case .username: SampleTexts.username(&random)
        case .email: "\(SampleTexts.username(&random))@example.\(random.pick(["com", "net", "org"]))"
        case .phone:
            "+1\(random.pick(SampleTexts.areaCodes))55501\(SampleTexts.padded(String(random.below(100)), count: 2))"
        case .url:
            "https://www.example.\(random.pick(["com", "net", "org"]))/\(random.pick(SampleTexts.words))/\(random.below(10_000))"
        case .address: "\(1 + random.below(199)) \(random.pick(SampleTexts.streets))"
        case .city: random.pick(SampleTexts.cities)
        case .country: random.pick(SampleTexts.countries)
        case .postcode: String(10_000 + random.below(90_000))
        case .company:
            "\(SampleTexts.capitalized(random.pick(SampleTexts.words))) \(random.pick(SampleTexts.companyForms))"
        case .ip: SampleTexts.ipAddress(&random)
        case .color: "#" + SampleTexts.hexadecimal(random.next() >> 40, count: 6)
        case .json:
            JSONValue.object([
                "name": .string(random.pick(SampleTexts.words)), "size": .number(String(random.below(100))),
                "active": .bool(random.below(2) == 0),
            ]).description
        case .time: Self.time(random.below(86_400))
        }
    }

    static func date(_ day: Int64) -> String {
        let date = CivilDate(day: day)
        return [(date.year, 4), (date.month, 2), (date.day, 2)].map { SampleTexts.padded(String($0), count: $1) }
            .joined(separator: "-")
    }

    private static func time(_ seconds: Int) -> String {
        [seconds / 3_600, seconds / 60 % 60, seconds % 60].map { SampleTexts.padded(String($0), count: 2) }
            .joined(separator: ":") + ".000Z"
    }

    // MARK: - As JSON

    var name: String {
        switch values {
        case .text(let text): text.rawValue
        case .integer: "integer"
        case .float: "float"
        case .price: "price"
        case .boolean: "boolean"
        case .date: "date"
        case .dateTime: "dateTime"
        case .timestamp: "timestamp"
        case .enumeration: "enum"
        case .constant: "constant"
        case .sequence: "sequence"
        case .link: "link"
        case .list: "list"
        case .custom: "custom"
        case .none: "none"
        }
    }

    var json: JSONValue {
        var object: JSONObject = ["generator": .string(name)]
        func set(_ range: ClosedRange<Int64>, _ text: (Int64) -> JSONValue, _ names: (String, String)) {
            object[names.0] = text(range.lowerBound)
            object[names.1] = text(range.upperBound)
        }
        let number: (Int64) -> JSONValue = { .number(String($0)) }
        switch values {
        case .integer(let range), .price(let range): set(range, number, ("min", "max"))
        case .timestamp(let range): set(range, number, ("from", "to"))
        case .date(let range): set(range, { .string(Self.date($0)) }, ("from", "to"))
        case .dateTime(let range): set(range, { .string(Moment(milliseconds: $0).text) }, ("from", "to"))
        case .float(let range, let decimals):
            object["min"] = .number("\(range.lowerBound)")
            object["max"] = .number("\(range.upperBound)")
            object["decimals"] = number(Int64(decimals))
        case .boolean(let share): object["share"] = .number("\(share)")
        case .enumeration(let names): object["values"] = .array(names.map(JSONValue.string))
        case .constant(let value): object["value"] = value
        case .sequence(let prefix, let start):
            object["prefix"] = .string(prefix)
            object["start"] = number(start)
        case .list(let element, let count):
            object["of"] = element.json
            object["min"] = number(Int64(count.lowerBound))
            object["max"] = number(Int64(count.upperBound))
        case .custom(let fields):
            var members: JSONObject = [:]
            for (name, field) in fields { members[name] = field.generator.json }
            object["fields"] = .object(members)
        case .text, .link, .none: break
        }
        if absent > 0 { object["absent"] = .number("\(absent)") }
        return .object(object)
    }
}
