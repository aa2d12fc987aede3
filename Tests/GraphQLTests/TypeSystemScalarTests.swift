import GraphQL
import JSON
import Testing

@Suite("Scalars")
struct TypeSystemScalarTests {
    struct Form: Sendable {
        var scalar: Scalar
        var accepts: [String]
        var refuses: [String]
        var noun: String
    }

    static let forms = [
        Form(
            scalar: .awsDate,
            accepts: ["2019-02-28", "2020-02-29", "1970-01-01Z", "1970-01-01+05:30", "1970-01-01-08:00:30"],
            refuses: [
                "2019-2-3", "2019-02-29", "2019-02-30", "2019-13-01", "2019-01-01T00:00Z", "2019-01-01z", "",
                "2019-01-01+19:00",
            ],
            noun: "date"),
        Form(
            scalar: .awsTime, accepts: ["12:00", "23:59:59", "12:00:00.123456789", "12:00Z", "12:00:30.5+02:00"],
            refuses: ["24:00", "1:00", "12:60", "12:00:60", "12:00:00.", "12:00:00.1234567890", "12"], noun: "time"),
        Form(
            scalar: .awsDateTime,
            accepts: ["2020-01-01T00:00+00:00", "2020-05-23T06:04:37.000Z", "2020-01-01T00:00:00-18:00"],
            refuses: [
                "2020-01-01T00:00", "2020-05-23T06:4:37.000Z", "2019-1-1", "2020-01-01 00:00Z",
                "2020-01-01T00:00+18:01",
            ],
            noun: "DateTime Object"),
        Form(
            scalar: .awsEmail, accepts: ["a@b", "first.last+tag@example.co.uk"],
            refuses: ["a", "a@", "@b", "a b@c.de", "a@-b.de", "a@b..de", "a@b@c"], noun: "email address"),
        Form(
            scalar: .awsURL,
            accepts: [
                "https://example.com/a?b=c#d", "http://localhost:8080", "mailto:a@b.de", "file:///etc/hosts",
                "https://a.b/c?d=e//f",
            ],
            refuses: ["example.com", "https://", "https://a.b//c", "//a.b", "1http://a", "http://a b"], noun: "URL"),
        Form(
            scalar: .awsPhone, accepts: ["+49 30 1234567", "+1 (202) 555-0123", "2025550123", "202-555-0123"],
            refuses: ["1110004444", "+0123456789", "123", "+123456", "+1234567890123456", "202555012x"],
            noun: "phone number"),
        Form(
            scalar: .awsIPAddress,
            accepts: [
                "1.2.3.4", "10.0.0.0/8", "::", "::1", "1::", "2001:db8::/32", "1:2:3:4:5:6:7:8", "::ffff:10.0.0.1",
                "1:2:3:4:5:6:1.2.3.4",
            ],
            refuses: [
                "1.2.3", "1.2.3.256", "1.2.3.4/33", "1:2:3:4:5:6:7", "1::2::3", ":::", "1:2:3:4:5:6:7:8:9", "12345::",
                "::1/129", "1.2.3.4::", ":1", "1:2:3:4:5:6:7::8",
            ],
            noun: "IP address"),
    ]

    @Test("scalars with a textual form accept that form only, as input and as output", arguments: forms)
    func textualForms(form: Form) throws {
        for text in form.accepts {
            #expect(try form.scalar.coerce(variable: .string(text)) == .string(text))
            #expect(form.scalar.coerce(literal: .string(text)) == .string(text))
            #expect(try written(.string(text), as: form.scalar) == JSONValue.string(text).description)
        }
        for text in form.refuses {
            #expect(form.scalar.coerce(literal: .string(text)) == nil, "\(text)")
            #expect(reason(.string(text), form.scalar) == "Unable to parse `\(text)` as a valid \(form.noun).")
            #expect(throws: ScalarError(reason: "Unable to serialize `\(text)` as a valid \(form.noun).")) {
                try written(.string(text), as: form.scalar)
            }
        }
        #expect(form.scalar.coerce(literal: .int("1")) == nil)
        #expect(reason(5, form.scalar) == "Unable to parse `5` as a valid \(form.noun).")
    }

    @Test("are lenient with variables as AppSync's engine is", arguments: lenient)
    func variables(scalar: Scalar, text: String, expected: CoercedValue) throws {
        #expect(try scalar.coerce(variable: json(text)) == expected)
    }

    @Test("name the Java class of what they refuse", arguments: refused)
    func refusals(scalar: Scalar, text: String, expected: String) throws {
        #expect(reason(try json(text), scalar) == expected)
    }

    @Test("are strict with literals")
    func literals() {
        #expect(Scalar.int.coerce(literal: .int("2147483647")) == .int(2_147_483_647))
        #expect(Scalar.int.coerce(literal: .int("2147483648")) == nil)
        #expect(Scalar.int.coerce(literal: .float("5.0")) == nil)
        #expect(Scalar.int.coerce(literal: .string("5")) == nil)
        #expect(Scalar.float.coerce(literal: .int("5")) == .double(5))
        #expect(Scalar.float.coerce(literal: .float("1e999")) == nil)
        #expect(Scalar.string.coerce(literal: .int("5")) == nil)
        #expect(Scalar.boolean.coerce(literal: .string("true")) == nil)
        #expect(Scalar.id.coerce(literal: .int("5")) == .string("5"))
        #expect(Scalar.id.coerce(literal: .float("5.5")) == nil)
        #expect(Scalar.awsTimestamp.coerce(literal: .int("-99999999999")) == .int(-99_999_999_999))
        #expect(Scalar.awsTimestamp.coerce(literal: .string("5")) == nil)
        #expect(Scalar.awsJSON.coerce(literal: .string(#"{ "a" : [1, 2.50] }"#)) == .string(#"{"a":[1,2.50]}"#))
        #expect(Scalar.awsJSON.coerce(literal: .string("plain")) == nil)
        #expect(
            Scalar.custom(name: "C", specifiedByURL: nil).coerce(literal: ["a": 1])
                == .object([.init(name: "a", value: .int(1))]))
    }

    @Test("write what they are, or the reason why not")
    func results() throws {
        #expect(try written(.int(5), as: .int) == "5")
        #expect(try written(.double(5), as: .int) == "5")
        #expect(try written(.string("5"), as: .int) == "5")
        #expect(throws: ScalarError(reason: "Expected type 'Int' but was 'String'.")) {
            try written(.string("abc"), as: .int)
        }
        #expect(throws: ScalarError(reason: "Expected type 'Int' but was 'Long'.")) {
            try written(.int(1 << 31), as: .int)
        }
        #expect(try written(.int(5), as: .float) == "5.0")
        #expect(try written(.double(0.1), as: .double) == "0.1")
        #expect(try written(.int(1 << 40), as: .bigInt) == "1099511627776")
        #expect(try written(.int(7), as: .string) == "\"7\"")
        #expect(try written(.int(7), as: .id) == "\"7\"")
        #expect(try written(.int(0), as: .boolean) == "false")
        #expect(try written(.object([.init(name: "a", value: .int(1))]), as: .awsJSON) == #""{\"a\":1}""#)
        #expect(try written(.string(#"{"a":1}"#), as: .awsJSON) == #""{\"a\":1}""#)
        #expect(try written(.string("plain"), as: .awsJSON) == #""\"plain\"""#)
        #expect(try written(.list([.bool(true)]), as: .custom(name: "C", specifiedByURL: nil)) == "[true]")
        #expect(try written(.null, as: .awsDate) == "null")
    }

    private static let lenient: [(Scalar, String, CoercedValue)] = [
        (.int, "5.0", .int(5)), (.int, "\"5\"", .int(5)), (.int, "5e1", .int(50)),
        (.int, "-2147483648", .int(-2_147_483_648)),
        (.int, "\"+7.00\"", .int(7)), (.int, "0.0e99", .int(0)),
        (.float, "5", .double(5)), (.float, "\"1.5\"", .double(1.5)),
        (.string, "5", .string("5")), (.string, "true", .string("true")), (.string, "1.50", .string("1.5")),
        (.boolean, "\"TRUE\"", .bool(true)), (.boolean, "\"yes\"", .bool(false)), (.boolean, "0.0", .bool(false)),
        (.boolean, "2", .bool(true)),
        (.id, "7", .string("7")), (.id, "\"x\"", .string("x")),
        (.bigInt, "9223372036854775807", .int(.max)), (.bigInt, "-9223372036854775808", .int(.min)),
        (.awsTimestamp, "-5", .int(-5)), (.awsJSON, #"" [ 1 ] ""#, .string("[1]")),
        (.custom(name: "C", specifiedByURL: nil), #"{"a":1.5}"#, .object([.init(name: "a", value: .double(1.5))])),
    ]

    private static let refused: [(Scalar, String, String)] = [
        (.int, "\"abc\"", "Expected type 'Int' but was 'String'."),
        (.int, "5.5", "Expected type 'Int' but was 'Double'."),
        (.int, "2147483648", "Expected type 'Int' but was 'Long'."),
        (.int, "true", "Expected type 'Int' but was 'Boolean'."),
        (.int, "[1]", "Expected type 'Int' but was 'ArrayList'."),
        (.int, "{}", "Expected type 'Int' but was 'LinkedHashMap'."),
        (.int, "99999999999999999999", "Expected type 'Int' but was 'BigInteger'."),
        (.int, "1e999999999999", "Expected type 'Int' but was 'BigDecimal'."),
        (.int, "\"\"", "Expected type 'Int' but was 'String'."),
        (.int, "\" 5\"", "Expected type 'Int' but was 'String'."),
        (.float, "1e999", "Expected type 'Float' but was 'BigDecimal'."),
        (.float, "\"nan\"", "Expected type 'Float' but was 'String'."),
        (.float, "\"0x10\"", "Expected type 'Float' but was 'String'."),
        (.string, "{}", "Expected type 'String' but was 'LinkedHashMap'."),
        (.id, "1.5", "Expected type 'ID' but was 'Double'."),
        (.id, "true", "Expected type 'ID' but was 'Boolean'."),
        (.boolean, "[]", "Expected type 'Boolean' but was 'ArrayList'."),
        (.bigInt, "9223372036854775808", "Expected type 'BigInt' but was 'BigInteger'."),
        (.awsTimestamp, "5.5", "Unable to parse `5.5` as a valid timestamp."),
        (.awsTimestamp, "\"5\"", "Unable to parse `5` as a valid timestamp."),
        (.awsJSON, "{\"a\":1}", "Unable to parse {\"a\":1} as valid JSON."),
        (.awsJSON, "\"a\"", "Unable to parse a as valid JSON."),
    ]

    private func reason(_ value: JSONValue, _ scalar: Scalar) -> String? {
        do throws(ScalarError) {
            _ = try scalar.coerce(variable: value)
            return nil
        } catch { return error.reason }
    }

    @discardableResult
    private func written(_ value: CoercedValue, as scalar: Scalar) throws -> String {
        var writer = JSONWriter(capacity: 64)
        try scalar.write(value, into: &writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}
