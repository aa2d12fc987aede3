import Encodings
import GraphQL
import JSON

extension Generator {
    /// Reads a generator that a caller has chosen for a field.
    ///
    /// - Parameters:
    ///   - json: `{"generator":NAME}` with its options.
    ///   - path: The field, as problems name it.
    ///   - own: The field with its default.
    init(_ json: JSONValue, for input: DataSourceFields.Input, _ path: String, _ own: GeneratedField)
        throws(OperatorProblem)
    {
        let options = try Options(json, path)
        let isList = input.type.element != nil
        let absent = try options.share("absent", 0)
        guard absent == 0 || !own.isRequired else {
            throw .invalid("\(path) is required: no item lacks it.", field: path)
        }
        if options.generator == "none" {
            guard !own.isRequired else { throw .invalid("\(path) is required.", field: path) }
            try options.end([])
            self.init(.none)
            return
        }
        guard isList else {
            self.init(try Self.values(options, input, path), absent: absent)
            return
        }
        // A list as a whole may be the same for all items.
        if options.generator == "constant" {
            self.init(try Self.values(options, input, path), absent: absent)
            return
        }
        guard options.generator == "list" else {
            throw .invalid("\(path) is a list: its generator is list, constant or none.", field: path)
        }
        guard let of = options["of"] else {
            throw .invalid("'of' of \(path) is the generator of an element.", field: path)
        }
        let element = try Options(of, path)
        let count = try options.range("min", "max", 1...3, within: 0...Int64(BulkLimits.generatedElementsMax))
        try options.end(["of", "min", "max"])
        self.init(
            .list(
                Generator(try Self.values(element, input, path), absent: try element.share("absent", 0)),
                count: Int(count.lowerBound)...Int(count.upperBound)), absent: absent)
    }

    private static func values(
        _ options: Options, _ input: DataSourceFields.Input, _ path: String
    ) throws(OperatorProblem) -> Values {
        guard GeneratedField.choices(of: input).contains(options.generator) else {
            throw .invalid("\(path) takes no generator '\(LogText.excerpt(options.generator))'.", field: path)
        }
        if let text = Text(rawValue: options.generator) {
            try options.end([])
            return .text(text)
        }
        let whole = Int64.min...Int64.max
        switch options.generator {
        case "integer":
            try options.end(["min", "max"])
            return .integer(try options.range("min", "max", DefaultGenerator.integers, within: whole))
        case "price":
            try options.end(["min", "max"])
            return .price(try options.range("min", "max", DefaultGenerator.prices, within: whole))
        case "float":
            try options.end(["min", "max", "decimals"])
            let (low, high) = (try options.double("min", 0), try options.double("max", 100))
            guard low <= high else { throw .invalid("'min' of \(path) is greater than 'max'.", field: path) }
            let decimals = try options.integer("decimals", 2, within: 0...6)
            return .float(low...high, decimals: Int(decimals))
        case "boolean":
            try options.end(["share"])
            return .boolean(try options.share("share", 0.5))
        case "date":
            try options.end(["from", "to"])
            return .date(
                try options.moments(DefaultGenerator.dates, "a date, such as 2026-01-31") { text in
                    text.utf8.count == 10 ? MomentText.milliseconds(text).map { $0 / 86_400_000 } : nil
                })
        case "dateTime":
            try options.end(["from", "to"])
            return .dateTime(
                try options.moments(
                    DefaultGenerator.dateTimes, "a date and time, such as 2026-01-31T12:00:00.000Z",
                    MomentText.milliseconds))
        case "timestamp":
            try options.end(["from", "to"])
            return .timestamp(try options.range("from", "to", DefaultGenerator.seconds, within: whole))
        case "enum":
            try options.end(["values"])
            let names = input.values ?? []
            guard let chosen = options["values"] else { return .enumeration(names) }
            let texts = chosen.arrayValue?.compactMap(\.stringValue) ?? []
            guard !texts.isEmpty, texts.count == chosen.arrayValue?.count, texts.allSatisfy(names.contains) else {
                throw .invalid("'values' of \(path) is a list of \(names.joined(separator: ", ")).", field: path)
            }
            return .enumeration(texts)
        case "constant":
            try options.end(["value"])
            guard let value = options["value"] else { throw .invalid("'value' of \(path) is missing.", field: path) }
            return .constant(value)
        case "sequence":
            try options.end(["prefix", "start"])
            let prefix = options["prefix"] ?? ""
            guard let text = prefix.stringValue, text.utf8.count <= BulkLimits.generatedPrefixBytesMax else {
                throw .invalid(
                    "'prefix' of \(path) is a text of at most \(BulkLimits.generatedPrefixBytesMax) bytes.", field: path
                )
            }
            return .sequence(prefix: text, start: try options.integer("start", 1, within: whole))
        default:
            try options.end(["fields"])
            return .custom(try fields(options["fields"] ?? [:], input, path))
        }
    }

    /// The fields of a custom type: those that are given, and the defaults of the others.
    private static func fields(
        _ given: JSONValue, _ input: DataSourceFields.Input, _ path: String
    ) throws(OperatorProblem) -> [(name: String, field: GeneratedField)] {
        guard let members = given.objectValue else { throw .invalid("'fields' of \(path) is an object.", field: path) }
        let inputs = input.fields ?? []
        for name in members.keys where !inputs.contains(where: { $0.name == name }) {
            throw .invalid("\(path) has no field \(LogText.excerpt(name)).", field: path)
        }
        return try inputs.map { name, inner throws(OperatorProblem) in
            var field = GeneratedField(name, inner, in: input.typeName, depth: 1)
            if let json = members[name] { field.generator = try Generator(json, for: inner, "\(path).\(name)", field) }
            return (name, field)
        }
    }

    /// The members of a generator.
    private struct Options {
        let generator: String
        private let members: JSONObject
        private let path: String

        init(_ json: JSONValue, _ path: String) throws(OperatorProblem) {
            guard let members = json.objectValue, let name = members["generator"]?.stringValue else {
                throw .invalid("A generator is an object, such as {\"generator\":\"word\"}.", field: path)
            }
            (generator, self.members, self.path) = (name, members, path)
        }

        subscript(name: String) -> JSONValue? { members[name] }

        /// Refuses members that the generator does not have.
        func end(_ names: [String]) throws(OperatorProblem) {
            for name in members.keys where !names.contains(name) && name != "generator" && name != "absent" {
                throw .invalid(
                    "The generator \(generator) of \(path) has no option '\(LogText.excerpt(name))'.", field: path)
            }
        }

        func integer(_ name: String, _ standard: Int64, within bounds: ClosedRange<Int64>) throws(OperatorProblem)
            -> Int64
        {
            guard let given = members[name] else { return standard }
            guard let number = given.intValue, bounds.contains(number) else {
                let words =
                    bounds == .min ... .max ? "" : " from \(bounds.lowerBound) to \(bounds.upperBound)"
                throw .invalid("'\(name)' of \(path) is a whole number\(words).", field: path)
            }
            return number
        }

        func double(_ name: String, _ standard: Double) throws(OperatorProblem) -> Double {
            guard let given = members[name] else { return standard }
            guard let number = given.doubleValue, number.magnitude <= 1e15 else {
                throw .invalid("'\(name)' of \(path) is a number.", field: path)
            }
            return number
        }

        func share(_ name: String, _ standard: Double) throws(OperatorProblem) -> Double {
            let number = try double(name, standard)
            guard (0...1).contains(number) else { throw .invalid("'\(name)' of \(path) is from 0 to 1.", field: path) }
            return number
        }

        /// Where only one end is given, the other one is moved if it would be on the wrong side.
        func range(
            _ low: String, _ high: String, _ standard: ClosedRange<Int64>, within bounds: ClosedRange<Int64>
        ) throws(OperatorProblem) -> ClosedRange<Int64> {
            var (first, last) = (
                try integer(low, standard.lowerBound, within: bounds),
                try integer(high, standard.upperBound, within: bounds)
            )
            if members[high] == nil { last = max(first, last) }
            if members[low] == nil { first = min(first, last) }
            guard first <= last else { throw .invalid("'\(low)' of \(path) is after '\(high)'.", field: path) }
            return first...last
        }

        func moments(
            _ standard: ClosedRange<Int64>, _ words: String, _ read: (String) -> Int64?
        ) throws(OperatorProblem) -> ClosedRange<Int64> {
            var ends: [Int64?] = []
            for name in ["from", "to"] {
                guard let given = members[name] else {
                    ends.append(nil)
                    continue
                }
                guard let moment = given.stringValue.flatMap(read) else {
                    throw .invalid("'\(name)' of \(path) is \(words).", field: path)
                }
                ends.append(moment)
            }
            let first = ends[0] ?? min(standard.lowerBound, ends[1] ?? .max)
            let last = ends[1] ?? max(standard.upperBound, first)
            guard first <= last else { throw .invalid("'from' of \(path) is after 'to'.", field: path) }
            return first...last
        }
    }
}

/// Reads the dates and times that options have.
private enum MomentText {
    /// Milliseconds since 1970 of `2026-01-31` (the beginning of the day), `2026-01-31T12:00:00Z` or `2026-01-31T12:00:00.000Z`; nil of any
    /// other text.
    static func milliseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int64? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        }
        func has(_ sign: Unicode.Scalar, _ index: Int) -> Bool {
            index < bytes.count && bytes[index] == UInt8(ascii: sign)
        }
        guard let year = number(0..<4), has("-", 4), let month = number(5..<7), has("-", 7), let day = number(8..<10),
            (1...12).contains(month), day >= 1, day <= CivilDate.dayCount(ofMonth: Int(month), year: Int(year))
        else { return nil }
        let midnight = CivilDate.day(year: year, month: month, day: day) * 86_400_000
        guard bytes.count > 10 else { return midnight }
        guard has("T", 10), let hour = number(11..<13), has(":", 13), let minute = number(14..<16), has(":", 16),
            let second = number(17..<19), hour < 24, minute < 60, second < 60
        else { return nil }
        var fraction: Int64 = 0
        if has(".", 19) {
            guard let number = number(20..<23) else { return nil }
            fraction = number
        }
        let end = has(".", 19) ? 23 : 19
        guard has("Z", end), bytes.count == end + 1 else { return nil }
        return midnight + ((hour * 60 + minute) * 60 + second) * 1_000 + fraction
    }
}
